import { randomBytes } from 'node:crypto';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { buildBundle } from '../packages/orchestrator/src/bundle/build.ts';
import { ensureBundle } from '../packages/orchestrator/src/bundle/send.ts';
import { readEnvironmentLock } from '../packages/orchestrator/src/environments/lock-file.ts';
import { ensureNodeEnvironment } from '../packages/orchestrator/src/environments/on-node.ts';
import { environmentFolder } from '../packages/orchestrator/src/environments/sync.ts';
import { uvVersion } from '../packages/orchestrator/src/environments/uv.ts';
import { openHome } from '../packages/orchestrator/src/home.ts';
import type { NodeSide } from '../packages/orchestrator/src/place/node-side.ts';
import { openSshRunner, type SshRunner } from '../packages/orchestrator/src/ssh/open-runner.ts';
import { buildAgent } from '../packages/orchestrator/src/targets/local/agent-archive.ts';
import { type Bed, bedlessReason, computeHosts, openBed, visibleEnvironments } from './support/bed.ts';
import { checkout, environments } from './support/her.ts';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 600_000 });

type Place = { bed: Bed; runners: SshRunner[]; sides: NodeSide[]; root: string; real: string };

/** Stands for uv: it leaves a mark, waits, and makes an environment that shows the packages of a real one. */
const standIn = `#!/bin/sh
[ "$1" = --version ] && { echo "uv VERSION"; exit; }
echo "$(hostname) $$ $PPID" >> "ROOT/runs"
mkdir -p "$UV_PROJECT_ENVIRONMENT/bin"
printf '#!/bin/sh\\nexec REAL/bin/python "$@"\\n' > "$UV_PROJECT_ENVIRONMENT/bin/python"
while [ ! -e "ROOT/go" ]; do sleep 0.1; done
chmod 755 "$UV_PROJECT_ENVIRONMENT/bin/python"
`;

let place: Place;
const why = bedlessReason('Environments on nodes');
const lines: string[] = [];
const along = { say: (line: string) => void lines.push(line), signal: new AbortController().signal };

beforeAll(async () => {
  if (why !== null) return;
  const opened = await openBed();
  process.env['HER_SSH_CONFIG'] = opened.ssh.config;
  const real = environmentFolder(await visibleEnvironments(), await readEnvironmentLock('swift'));
  const home = openHome(await mkdtemp(join(tmpdir(), 'her-envs-')));
  const bundle = await buildBundle(await buildAgent(join(home.root, 'agent')));
  // Both hosts see it.
  const root = join(opened.shared, `her-envs-${randomBytes(4).toString('hex')}`);
  await mkdir(join(root, 'bin'), { recursive: true });
  const uv = join(root, 'bin', `uv-${uvVersion}`);
  await writeFile(uv, standIn.replace('VERSION', uvVersion).replaceAll('ROOT', root).replace('REAL', real));
  await chmod(uv, 0o755);
  const runners = await Promise.all(
    computeHosts(opened, 2).map((host) => openSshRunner(host, { home, say: along.say })),
  );
  const sides = await Promise.all(
    runners.map(async (runner): Promise<NodeSide> => {
      const { folder } = await ensureBundle(runner, root, bundle);
      return { name: runner.host, runner, root, study: root, bundle: folder, python: 'python3' };
    }),
  );
  place = { bed: opened, runners, sides, root, real };
});

afterAll(async () => {
  if (why !== null) return;
  for (const runner of place?.runners ?? []) await runner.close();
  if (place !== undefined) await rm(place.root, { recursive: true, force: true });
  await place?.bed.close();
});

const side = (number: number): NodeSide => {
  const found = place.sides[number];
  if (found === undefined) throw new Error('no such host');
  return found;
};

test.each(['swift', 'verl', 'verl-cuda'])('the lock of %s is what its project asks for', async (name) => {
  const uv = join(environments, `uv-${uvVersion}`, 'bin', 'uv');
  const project = join(checkout, 'infra', 'envs', name);
  const checked = await execa(uv, ['lock', '--check', '--offline', '--project', project], { reject: false });
  expect(checked).toMatchObject({ exitCode: 0, stderr: expect.stringMatching(/Resolved \d+ packages/) });
});

test.skipIf(why !== null)(
  'an environment that is there is held against the lock, and its fingerprint is whole',
  async () => {
    const found = await ensureNodeEnvironment(side(0), { path: place.real }, 'swift', along);
    const lock = await readEnvironmentLock('swift');
    expect(found).toMatchObject({
      bin: `${place.real}/bin`,
      lockDigest: lock.digest,
      image: null,
    });
    expect(found.packages['ms-swift']).toBe('4.6.0');
    expect(found.facts).not.toHaveProperty('differences');
    expect(found.facts).toMatchObject({
      environment: 'swift',
      host: side(0).name,
      python: expect.stringMatching(/^3\.11\./),
      kernel: expect.stringMatching(/^Linux /),
      packages: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
  },
);

test.skipIf(why !== null)(
  'another version of the trainer, and a folder that is none, are one clear line',
  async () => {
    const folder = join(place.root, 'other');
    const site = join(folder, 'lib', 'ms_swift-4.5.0.dist-info');
    await mkdir(site, { recursive: true });
    await mkdir(join(folder, 'bin'));
    await writeFile(join(site, 'METADATA'), 'Metadata-Version: 2.1\nName: ms-swift\nVersion: 4.5.0\n');
    // Isolated, Python takes no path from outside: this one is told its path by itself.
    const python = `#!/bin/sh\nshift\nexec python3 -c "import sys; sys.path[:] = [p for p in sys.path if 'packages' not in p] + ['${folder}/lib']; exec(sys.argv.pop())" "$2"\n`;
    await writeFile(join(folder, 'bin', 'python'), python);
    await chmod(join(folder, 'bin', 'python'), 0o755);
    const { name } = side(0);
    await expect(ensureNodeEnvironment(side(0), { path: folder }, 'swift', along)).rejects.toMatchObject({
      code: 'ENVIRONMENT_SETUP',
      exitCode: 5,
      message: `${name}: ${folder} has ms-swift 4.5.0; the study's options are those of ms-swift 4.6.0`,
    });
    await expect(ensureNodeEnvironment(side(0), { path: '/nowhere' }, 'swift', along)).rejects.toMatchObject({
      code: 'ENVIRONMENT_SETUP',
      message: `${name}: /nowhere is no Python environment: /nowhere/bin/python is not there`,
    });
  },
);

test.skipIf(why !== null)(
  'by the lock, with a stand-in for uv: two nodes of one root make it once, also after kill -9',
  async () => {
    lines.length = 0;
    const wanted = [0, 1].map((n) => ensureNodeEnvironment(side(n), 'locked', 'swift', along));
    const runs = async (): Promise<string[]> =>
      (await readFile(join(place.root, 'runs'), 'utf8').catch(() => '')).split('\n').filter(Boolean);
    await vi.waitFor(async () => expect(await runs()).toHaveLength(1), { timeout: 40_000, interval: 200 });
    const [host, ...makers] = (await runs()).join(' ').split(' ');
    // All that makes it there, at once: nobody is left to say so.
    await place.runners.find((runner) => runner.host === host)?.run(['kill', '-9', ...makers]);
    await vi.waitFor(async () => expect(await runs()).toHaveLength(2), { timeout: 60_000, interval: 200 });
    await writeFile(join(place.root, 'go'), '');
    const [one, two] = await Promise.all(wanted);
    expect(one?.bin).toBe(two?.bin);
    expect(one?.bin).toMatch(new RegExp(`^${place.root}/envs/swift-[0-9a-f]{12}/bin$`));
    expect(await runs()).toHaveLength(2);
    expect(lines.some((line) => /ms-swift 4\.6\.0: ready after \d+ s/.test(line))).toBe(true);
    const begun = Date.now();
    await ensureNodeEnvironment(side(1), 'locked', 'swift', along);
    expect(await runs()).toHaveLength(2);
    expect(Date.now() - begun).toBeLessThan(60_000);
  },
);
