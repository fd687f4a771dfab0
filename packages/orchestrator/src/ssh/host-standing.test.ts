import { describe, expect, it } from 'vitest';
import { chooseKeys } from './choose-keys.ts';
import { judge, type KnownHost } from './host-keys.ts';
import { changedError, standingOf } from './host-standing.ts';
import { fingerprint } from './key-blob.ts';
import { readConfig } from './resolve.ts';
import { known, someKey } from './testing-keys.ts';

const config = readConfig('h1', new Map([['hostname', ['10.0.0.1']]]));
const [key, rsa, stranger] = [someKey(), someKey('ssh-rsa'), someKey()];
const host = (...keys: KnownHost['keys'][number][]): KnownHost => ({ name: 'h1', keys, atUsualPort: [] });

describe('the keys that a host shows', () => {
  it('are known by one of them', () => {
    expect(standingOf(config, host(known(key)), [key, rsa])).toMatchObject({ is: 'known', others: [] });
  });

  it('are unknown where nothing is said of it', () => {
    expect(standingOf(config, host(), [key, rsa]).is).toBe('unknown');
  });

  it('have changed by one of the same type, and by one of another that stands alone', () => {
    expect(standingOf(config, host(known(stranger)), [key])).toMatchObject({
      is: 'changed',
      others: [{ blob: stranger }],
    });
    expect(standingOf(config, host(known(stranger)), [rsa]).is).toBe('changed');
    const error = changedError(config, standingOf(config, host(known(stranger)), [key]));
    expect(error.message).toContain(fingerprint(stranger));
    expect(error.hint).toContain(`--replace --fingerprint ${fingerprint(key)}`);
  });

  it('are refused by one that is revoked, whatever else is said of it', () => {
    const told = host(known(key), known(key, 'revoked'));
    expect(() => standingOf(config, told, [rsa, key])).toThrow(
      expect.objectContaining({ code: 'HOST_KEY_REVOKED' }),
    );
  });

  it('are left to OpenSSH where an authority is to vouch for them', () => {
    expect(judge(host(known(stranger, 'authority')), key).is).toBe('needs-system-ssh');
    expect(standingOf(config, host(known(stranger, 'authority')), [key]).is).toBe('unknown');
  });

  it('at another port are known by what is said of the usual one, where nothing is said of that port', () => {
    const there = { name: '[h1]:2222', keys: [], atUsualPort: [known(key)] };
    expect(judge(there, key).is).toBe('known');
    expect(judge({ ...there, keys: [known(stranger)] }, key).is).toBe('changed');
  });
});

describe('accepting', () => {
  const choose = (answers: string[], fingerprints: string[] = [], yes = false) => {
    const ask = answers.length === 0 ? undefined : async () => answers.shift();
    return chooseKeys(config, [key, rsa], { yes, fingerprints }, ask);
  };
  const refusal = expect.objectContaining({ code: 'HOST_KEY_NOT_ACCEPTED' });

  it('takes all that is shown by a yes, and only what is named by a fingerprint', async () => {
    expect(await choose(['y'])).toEqual([key, rsa]);
    expect(await choose([], [], true)).toEqual([key, rsa]);
    expect(await choose([], [fingerprint(rsa)])).toEqual([rsa]);
    expect(await choose(['what?', ` ${fingerprint(key)}`])).toEqual([key]);
  });

  it('takes nothing by a no, an empty line, the end of input, another fingerprint, or from nobody', async () => {
    for (const answer of ['n', 'No', '', fingerprint(stranger)])
      await expect(choose([answer]), answer).rejects.toEqual(refusal);
    await expect(choose(['what?'])).rejects.toEqual(refusal);
    await expect(choose([], [fingerprint(stranger)])).rejects.toEqual(refusal);
    await expect(choose([], [fingerprint(stranger)], true)).rejects.toEqual(refusal);
    await expect(choose([])).rejects.toEqual(refusal);
  });
});
