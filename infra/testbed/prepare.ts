import { randomBytes } from 'node:crypto';
import { chmod, chown, copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { cpus, totalmem } from 'node:os';
import { join } from 'node:path';
import { etcFiles, groupFile, lines, sshdConfig, testUser } from './host-files.ts';
import { initScript, type Programs } from './init-script.ts';
import { certify, makeKey } from './keys.ts';
import type { Places } from './places.ts';
import { run } from './run.ts';
import { slurmFiles } from './slurm-files.ts';
import { knownHostsFiles, namesOf, sshConfig } from './ssh-files.ts';
import { makeStoreCredentials } from './store.ts';
import { type Host, hasSshd, type Topology } from './topology.ts';

/** Every file and key of a bed, before anything runs. */
export async function prepare(topology: Topology, places: Places, programs: Programs): Promise<void> {
  for (const path of [places.hosts, places.self, places.private]) await mkdir(path, { mode: 0o755 });
  await mkdir(places.caller, { mode: 0o700 });
  await mkdir(places.shared);
  await chmod(places.shared, 0o1777);

  const [client, locked, authority] = await clientKeys(places);
  const stranger = await makeKey(join(places.caller, 'stranger'), 'nobody');
  const munge = randomBytes(128);
  const keys = new Map<string, string>();
  await Promise.all(
    topology.hosts.map(async (host) => {
      await hostFolder(host, topology, places, programs);
      const own = places.host(host.name);
      if (topology.slurm) await writeFile(join(own, 'munge.key'), munge, { mode: 0o400 });
      if (!hasSshd(host)) return;
      const key = join(own, 'ssh', 'host_ed25519');
      await writeFile(join(own, 'ssh', 'authorized_keys'), lines([client, locked]), { mode: 0o644 });
      keys.set(host.name, await makeKey(key, host.name));
      await certify(key, places.certificateAuthority, host.name, namesOf(host));
    }),
  );

  await writeFile(places.sshConfig, sshConfig(topology, places), { mode: 0o600 });
  const known = knownHostsFiles(topology, keys, stranger, authority);
  for (const [variant, text] of Object.entries(known)) await writeFile(places.knownHosts(variant), text);
  await copyFile(places.knownHosts(), places.knownHosts('hashed'));
  await run(['ssh-keygen', '-q', '-H', '-f', places.knownHosts('hashed')]);
  if (topology.s3) await makeStoreCredentials(places);
}

async function clientKeys(places: Places): Promise<[client: string, locked: string, authority: string]> {
  const passphrase = randomBytes(12).toString('hex');
  await writeFile(places.passphrase, `${passphrase}\n`, { mode: 0o600 });
  return Promise.all([
    makeKey(places.clientKey, 'client'),
    makeKey(places.lockedKey, 'client, locked', passphrase),
    makeKey(places.certificateAuthority, 'host authority'),
  ]);
}

async function hostFolder(host: Host, topology: Topology, places: Places, programs: Programs): Promise<void> {
  const own = places.host(host.name);
  const folders = ['etc', 'ssh', 'log', 'log/munge', 'home', 'home/root', 'home/her', 'private', 'tmp'];
  for (const name of ['.', ...folders]) await mkdir(join(own, name), { mode: 0o755, recursive: true });
  await chmod(join(own, 'home', 'root'), 0o700);
  await chmod(join(own, 'ssh'), 0o755);
  await chmod(join(own, 'private'), 0o1777);
  await chmod(join(own, 'tmp'), 0o1777);
  await chown(join(own, 'home', 'her'), testUser.id, testUser.id);
  const passwd = await readFile('/etc/passwd', 'utf8');
  for (const { path, text, mode } of etcFiles(host, topology, places, passwd))
    await writeFile(path, text, { mode });
  await writeFile(join(own, 'etc', 'group'), groupFile(await readFile('/etc/group', 'utf8')));
  await writeFile(join(own, 'init.sh'), initScript(host, topology, places, programs));
  if (hasSshd(host)) await writeFile(join(own, 'etc', 'sshd_config'), sshdConfig(host, places));
  if (!topology.slurm || (host.role !== 'compute' && host.role !== 'login')) return;
  await mkdir(join(own, 'etc', 'slurm'));
  for (const folder of ['slurm', 'slurm/spool', 'slurm/state'])
    await mkdir(join(own, folder), { mode: 0o755 });
  const machine = { cores: cpus().length, memoryMb: Math.floor(totalmem() / 1024 / 1024) };
  for (const [name, text] of Object.entries(slurmFiles(topology, places, machine)))
    if (name !== 'slurmdbd.conf' || host.role === 'login')
      await writeFile(join(own, 'etc', 'slurm', name), text, {
        mode: name === 'slurmdbd.conf' ? 0o600 : 0o644,
      });
}
