import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isHostName, jumpText, parseJump } from './jump.ts';

describe('a ProxyJump', () => {
  it('is written back as it was read', () => {
    const hop = fc.record({
      name: fc.oneof(fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,20}$/), fc.ipV4(), fc.ipV6()),
      user: fc.option(fc.stringMatching(/^[a-z][a-z0-9@._]{0,10}$/)),
      port: fc.option(fc.integer({ min: 1, max: 65_535 })),
    });
    fc.assert(
      fc.property(fc.array(hop, { minLength: 1, maxLength: 4 }), (hops) => {
        expect(parseJump(jumpText(hops))).toEqual(hops);
      }),
    );
  });

  it('is read in each of its spellings', () => {
    expect(parseJump('ssh://me@a:22/, [::1]:2200,b')).toEqual([
      { name: 'a', user: 'me', port: 22 },
      { name: '::1', user: null, port: 2200 },
      { name: 'b', user: null, port: null },
    ]);
  });

  it('is refused where it names what is no host, or an option of ssh', () => {
    for (const text of ['', 'a,,b', '-oProxyCommand=x', 'a b', 'a:0', 'a:99999', '$(id)'])
      expect(() => parseJump(text), text).toThrow(expect.objectContaining({ code: 'SSH_SETUP' }));
    expect(isHostName('-x')).toBe(false);
    expect(isHostName('a\nb')).toBe(false);
  });
});
