import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { all, files, isOn, list, one, parseConfigText, seconds } from './config-text.ts';

const text = parseConfigText(
  [
    'User root',
    'port 22',
    'identityfile ~/.ssh/a b',
    'identityfile /k\r',
    'proxyjump none',
    'identitiesonly yes',
    'userknownhostsfile /home/a b/known /home/c',
    'globalknownhostsfile none',
    'ciphers a,b,,c',
    'connecttimeout none',
    'serveraliveinterval 15',
    'broken',
    '',
  ].join('\n'),
);

describe('what ssh -G says', () => {
  it('is read by keyword, without regard to the case of it, blanks and all', () => {
    expect(one(text, 'user')).toBe('root');
    expect(all(text, 'identityfile')).toEqual(['~/.ssh/a b', '/k']);
    expect(files(text, 'userknownhostsfile')).toEqual(['/home/a b/known', '/home/c']);
    expect(list(text, 'ciphers')).toEqual(['a', 'b', 'c']);
    expect(isOn(text, 'identitiesonly')).toBe(true);
    expect(seconds(text, 'serveraliveinterval')).toBe(15);
  });

  it('has none for what is unset', () => {
    expect(one(text, 'proxyjump')).toBeNull();
    expect(one(text, 'hostkeyalias')).toBeNull();
    expect(files(text, 'globalknownhostsfile')).toEqual([]);
    expect(seconds(text, 'connecttimeout')).toBeUndefined();
  });

  it('is read whatever it holds', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (any) => {
        for (const values of parseConfigText(any).values()) expect(values.length).toBeGreaterThan(0);
      }),
    );
  });

  it('gives every written value back', () => {
    const value = fc.stringMatching(/^[\w/~.]([\w /~.]*[\w/~.])?$/);
    fc.assert(
      fc.property(
        fc.dictionary(fc.stringMatching(/^[A-Za-z]{1,12}$/), value, { noNullPrototype: true }),
        (given) => {
          const written = Object.entries(given)
            .map(([key, its]) => `${key.toLowerCase()} ${its}\n`)
            .join('');
          const read = parseConfigText(written);
          for (const [key, its] of Object.entries(given)) expect(read.get(key.toLowerCase())).toContain(its);
        },
      ),
    );
  });
});
