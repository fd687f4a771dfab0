import { homedir, userInfo } from 'node:os';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandPath } from './path-tokens.ts';

const values = { name: 'h1', hostname: '10.0.0.1', port: 2222, user: 'her', hostKeyAlias: null };
const expand = (path: string) => expandPath(path, values, { DIR: '/d' });

describe('a path of ssh_config', () => {
  it('has its tokens, its variables and the home folder replaced', () => {
    expect(expand('~/.ssh/%n-%h-%p-%r')).toBe(`${homedir()}/.ssh/h1-10.0.0.1-2222-her`);
    expect(expand('%d/%u/%k/%i')).toBe(`${homedir()}/${userInfo().username}/h1/${userInfo().uid}`);
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how ssh_config writes it
    expect(expand('${DIR}/100%%')).toBe('/d/100%');
  });

  it('is left to OpenSSH where it holds what only that knows', () => {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: that is how ssh_config writes it
    for (const path of ['/a/%C', '/a/%', '~other/key', '${UNSET}/a']) expect(expand(path)).toBeUndefined();
  });

  it('is itself where it holds no token', () => {
    const plain = fc.string().filter((path) => !/[%$]/.test(path) && !path.startsWith('~'));
    fc.assert(
      fc.property(plain, (path) => {
        expect(expand(path)).toBe(path);
      }),
    );
  });
});
