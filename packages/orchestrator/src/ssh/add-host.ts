import type { Home } from '../home.ts';
import { hopsTo } from './chain.ts';
import { type Acceptance, type Ask, chooseKeys } from './choose-keys.ts';
import { NeedsSystemSsh } from './connection-error.ts';
import { known, shownHost } from './host-key-errors.ts';
import { knownHostsFiles, nameInKnownHosts, readKnownHost } from './host-keys.ts';
import { changedError, standingOf } from './host-standing.ts';
import { fingerprint, type KeyBlob, keyType } from './key-blob.ts';
import { acceptKeys } from './known-hosts-file.ts';
import type { Pool } from './open-ssh2.ts';
import { projectKnownHosts } from './project-known-hosts.ts';
import { resolveHost, type SshConfig } from './resolve.ts';
import { seeBySystem } from './see-by-system.ts';
import { seeHostKeys } from './see-host-keys.ts';
import type { SeenHostKey } from './seen-host-key.ts';
import { whySystemSshOnTheWay } from './system-reasons.ts';

export type AddOptions = {
  home: Home;
  pool: Pool;
  acceptance: Acceptance & { replace: boolean };
  ask: Ask;
  say: (line: string) => void;
};

/**
 * Accepts the keys of a host and of those on the way to it, in the order in which they are passed: the way to each is
 * over hosts whose keys are known by then.
 * @param done hosts that were looked at before, by their name in known_hosts
 */
export async function addHost(name: string, done: Set<string>, options: AddOptions): Promise<SeenHostKey[]> {
  const config = await resolveHost(name);
  const chain = [...(await hopsTo(config)), config];
  const seen: SeenHostKey[] = [];
  for (const [at, one] of chain.entries()) {
    if (done.has(nameInKnownHosts(one))) continue;
    seen.push(...(await addOne(one, chain.slice(0, at), options)));
    done.add(nameInKnownHosts(one));
  }
  return seen;
}

async function addOne(
  config: SshConfig,
  hops: readonly SshConfig[],
  { home, pool, acceptance, ask, say }: AddOptions,
): Promise<SeenHostKey[]> {
  const file = projectKnownHosts(home);
  const before = await readKnownHost(config, knownHostsFiles(config, file));
  const shown = await see(config, hops, pool, file);
  const standing = standingOf(config, before, shown);
  const way = hops.length === 0 ? '' : ` (over ${hops.map((hop) => hop.name).join(', ')})`;
  say(`${shownHost(config)}${way} shows`);
  for (const key of shown) say(`  ${(keyType(key) ?? '').padEnd(20)} ${fingerprint(key)}`);
  const seenKey = (key: KeyBlob, how: SeenHostKey['how'], where: string): SeenHostKey => ({
    host: config.name,
    fingerprint: fingerprint(key),
    algorithm: keyType(key) ?? '',
    how,
    file: where,
  });
  if (standing.is === 'known')
    return standing.fits.map((line) =>
      seenKey(line.blob, line.file === file ? 'accepted' : 'known', line.file),
    );
  const fresh = shown.filter((key) => !standing.fits.some(({ blob }) => blob.equals(key)));
  if (standing.is === 'changed') {
    if (!acceptance.replace) throw changedError(config, standing);
    say(`  known until now      ${known(standing.others)}`);
  }
  const accepted = await chooseKeys(config, fresh, acceptance, ask);
  const keys = standing.is === 'changed' ? [...standing.fits.map(({ blob }) => blob), ...accepted] : accepted;
  const entry = { name: nameInKnownHosts(config), host: config.name, keys };
  const gone = await acceptKeys(file, entry, standing.is === 'changed');
  for (const left of standing.others.filter((other) => other.file !== file))
    say(`  still there          ${known([left])}: it may be taken out of that file`);
  return [
    ...gone.map(({ blob }) => seenKey(blob, 'removed', file)),
    ...accepted.map((key) => seenKey(key, 'accepted', file)),
  ];
}

async function see(
  config: SshConfig,
  hops: readonly SshConfig[],
  pool: Pool,
  project: string,
): Promise<KeyBlob[]> {
  if ((await whySystemSshOnTheWay([...hops, config], project)) === null)
    try {
      return await seeHostKeys(config, pool.hops.dialOver(hops));
    } catch (error) {
      if (!(error instanceof NeedsSystemSsh)) throw error;
    }
  return await seeBySystem(config, hops, project);
}
