import { access, constants, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { TestbedError } from './errors.ts';
import type { Programs } from './init-script.ts';
import type { BedOptions } from './options.ts';
import { cacheFolder } from './places.ts';
import { run } from './run.ts';

type Need = { program: string; package: string; units: string[] };

/** The store's server and its version; built once, kept in the cache folder. */
const versitygw = 'github.com/versity/versitygw/cmd/versitygw@v1.8.0';
const built = join(cacheFolder, 'bin', 'versitygw');
const noServices = '/usr/sbin/policy-rc.d';

export function needs({ slurm }: Pick<BedOptions, 'slurm'>): Need[] {
  const of = (name: string, programs: string[], units: string[] = []): Need[] =>
    programs.map((program) => ({ program, package: name, units }));
  return [
    ...of('iproute2', ['ip', 'tc']),
    ...of('util-linux', ['nsenter', 'unshare']),
    ...of('openssh-client', ['ssh', 'ssh-keygen']),
    ...of('openssh-server', ['sshd'], ['ssh']),
    ...of('rsync', ['rsync'], ['rsync']),
    ...(slurm
      ? [
          ...of('munge', ['munged'], ['munge']),
          ...of('slurm-wlm', ['slurmctld', 'slurmd'], ['slurmctld', 'slurmd']),
          ...of('slurmdbd', ['slurmdbd'], ['slurmdbd']),
          ...of('slurm-wlm-mysql-plugin', [
            '/usr/lib/x86_64-linux-gnu/slurm-wlm/accounting_storage_mysql.so',
          ]),
          ...of('mariadb-server-core', ['mariadbd', 'mariadb-install-db']),
          ...of('mariadb-client-core', ['mariadb']),
        ]
      : []),
  ];
}

export async function missing(options: Pick<BedOptions, 'slurm'>): Promise<Need[]> {
  const found = await Promise.all(
    needs(options).map(async (need) => ({ need, there: await find(need.program) })),
  );
  return found.filter(({ there }) => there === null).map(({ need }) => need);
}

/** Installs what is missing, and leaves no service of Debian's running or starting with the machine. */
export async function install(options: BedOptions, say: (text: string) => void): Promise<void> {
  const lacking = await missing(options);
  if (lacking.length === 0) return;
  const packages = [...new Set(lacking.map((need) => need.package))];
  if ((await find('apt-get')) === null)
    throw new TestbedError(
      'BED_TOOL_MISSING',
      `${packages.join(', ')} missing`,
      'Install them; this is no Debian.',
    );
  say(`Installing Debian packages: ${packages.join(' ')}. Their services are not started.`);
  // Debian starts the services of what it installs, unless this file says no.
  const ours = await writeFile(noServices, '#!/bin/sh\nexit 101\n', { flag: 'wx', mode: 0o755 }).then(
    () => true,
    () => false,
  );
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  try {
    await run(['apt-get', 'update', '-q'], { timeoutMs: 300_000, env });
    await run(['apt-get', 'install', '-q', '-y', '--no-install-recommends', ...packages], {
      timeoutMs: 900_000,
      env,
    });
  } finally {
    if (ours) await rm(noServices);
  }
  const units = [...new Set(lacking.flatMap((need) => need.units))];
  // Only where systemd is the init: elsewhere nothing starts by itself.
  if (units.length > 0 && (await isThere('/run/systemd/system')))
    await run(['systemctl', 'disable', '--now', ...units]);
  const still = await missing(options);
  if (still.length > 0)
    throw new TestbedError(
      'BED_TOOL_MISSING',
      `still missing: ${still.map(({ program }) => program).join(', ')}`,
      'The packages are installed; see whether their programs are in PATH or in /usr/sbin.',
    );
}

export async function programs(
  { s3 }: Pick<BedOptions, 's3'>,
  say: (text: string) => void,
): Promise<Programs> {
  if (s3 && !(await isThere(built))) await build(say);
  return { node: process.execPath, relay: join(import.meta.dirname, 'relay.ts'), versitygw: built };
}

/** Whether the store's server needs no building. */
export async function storeIsBuilt(): Promise<boolean> {
  return isThere(built);
}

async function build(say: (text: string) => void): Promise<void> {
  const go = await find('go');
  if (go === null)
    throw new TestbedError(
      'BED_TOOL_MISSING',
      '`go` is missing, which builds the S3 server',
      'Install Go 1.24 or newer.',
    );
  say(`Building ${versitygw} (a few minutes, once).`);
  await mkdir(join(cacheFolder, 'bin'), { recursive: true });
  await run([go, 'install', versitygw], {
    timeoutMs: 900_000,
    env: { ...process.env, GOBIN: join(cacheFolder, 'bin') },
  });
}

async function find(program: string): Promise<string | null> {
  if (program.startsWith('/')) return (await isThere(program)) ? program : null;
  const folders = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/sbin', '/usr/local/go/bin'];
  for (const folder of folders)
    if (folder && (await isThere(join(folder, program)))) return join(folder, program);
  return null;
}

async function isThere(path: string): Promise<boolean> {
  return access(path, constants.F_OK).then(
    () => true,
    () => false,
  );
}
