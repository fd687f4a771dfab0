import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { TestbedError } from './errors.ts';
import type { Places } from './places.ts';
import { attempt } from './run.ts';
import { proveConditionalWrites } from './store.ts';
import type { StoreCredentials } from './store-request.ts';
import { hasSshd, type Topology } from './topology.ts';

/** Waits until every part answers as a user of it would ask. */
export async function untilReady(topology: Topology, places: Places): Promise<void> {
  const ssh = (host: string, ...argv: string[]) =>
    attempt(['ssh', '-F', places.sshConfig, '-o', 'ConnectTimeout=5', host, ...argv], { timeoutMs: 30_000 });
  const sshds = topology.hosts.filter(hasSshd).map(({ name }) =>
    until(`sshd of ${name}`, 30, async () => {
      const { code, stdout, stderr } = await ssh(name, 'hostname');
      return code === 0 && stdout === `${name}\n` ? null : stderr;
    }),
  );
  await Promise.all(sshds);
  const nodes = topology.hosts.filter(({ role }) => role === 'compute').length;
  const slurm = () =>
    until('Slurm', 60, async () => {
      const { stdout, stderr } = await ssh('login', 'sinfo --noheader --partition=main --format="%D %T"');
      return stdout === `${nodes} idle\n` ? null : `${stdout}${stderr}`;
    });
  const store = async () => {
    const credentials: StoreCredentials = JSON.parse(await readFile(places.storeCredentials, 'utf8'));
    await until('S3', 20, () =>
      fetch(credentials.endpoint, { signal: AbortSignal.timeout(2000) }).then(
        () => null,
        (cause: Error) => cause.message,
      ),
    );
    await proveConditionalWrites(credentials);
  };
  await Promise.all([...(topology.slurm ? [slurm()] : []), ...(topology.s3 ? [store()] : [])]);
}

async function until(what: string, seconds: number, ask: () => Promise<string | null>): Promise<void> {
  const end = Date.now() + seconds * 1000;
  for (;;) {
    const why = await ask();
    if (why === null) return;
    if (Date.now() > end)
      throw new TestbedError(
        'BED_NOT_READY',
        `${what} does not answer after ${seconds} s: ${why.trim()}`,
        'The logs are in hosts/NAME/log in the folder of the bed; `down` removes it.',
      );
    await sleep(150);
  }
}
