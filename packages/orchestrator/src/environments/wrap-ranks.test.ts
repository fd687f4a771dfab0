import { chmod, mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { NodeSide } from '../place/node-side.ts';
import { localRunner } from '../targets/local/local-runner.ts';
import { imageEnvironment, imageReference } from './image.ts';
import { type Wrappable, wrapRanks } from './wrap-ranks.ts';

const digest = `sha256:${'ab'.repeat(32)}`;
const path = process.env['PATH'];
let root = '';

/** Stands for docker or apptainer: writes down what it was asked, and runs the command after the image. */
const fake = `#!/bin/sh
printf '%s\\n' "$0 $*" >> "\${0%/*}/asked"
case "$1" in run|exec) ;; *) exit 0 ;; esac
while [ $# -gt 0 ]; do case "$1" in *@sha256:*|*.sif) shift; exec "$@" ;; esac; shift; done
`;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'her-image-'));
  for (const tool of ['docker', 'apptainer']) {
    await writeFile(join(root, tool), fake);
    await chmod(join(root, tool), 0o755);
  }
  await writeFile(join(root, 'asked'), '');
  process.env['PATH'] = `${root}:${path}`;
});
afterEach(() => {
  process.env['PATH'] = path;
});

const node = (): NodeSide => ({
  name: 'a',
  runner: localRunner,
  root,
  study: root,
  bundle: `${root}/bundles/b`,
  python: 'python3',
});
const along = { say: () => undefined, signal: new AbortController().signal };

const request = (more: Partial<Wrappable> = {}): Wrappable => ({
  attempt: 'abc-1',
  ranks: [{ argv: ['python', '-c', 'import os; print(os.environ["KEY"])'] }],
  env: { LANG: 'C.UTF-8', HOME: '/home/u' },
  secrets: { KEY: 'secret-value' },
  inputs: [
    { name: 'model', path: '/shared/model', digest: null },
    { name: 'model/part', path: '/shared/model/part', digest: null },
    { name: 'data', path: `${root}/store/x`, digest: null },
  ],
  ...more,
});
const place = () => ({ root, folder: `${root}/attempts/abc-1`, gpus: 'nvidia' as const });

test('docker, rendered and run by a stand-in: mounts, GPUs, user, network; of variables the names alone', async () => {
  const image = await imageEnvironment(
    node(),
    { image: `docker://r.io/t:1@${digest}`, with: 'docker' },
    along,
  );
  const wrapped = wrapRanks({ image }, request(), place());
  const [{ argv } = { argv: [] }] = wrapped.ranks;
  expect(wrapped.env['HOME']).toBe(`${root}/images/home`);
  const text = argv.join(' ');
  expect(text).not.toContain('secret-value');
  const user = `${process.getuid?.()}:${process.getgid?.()}`;
  for (const part of [
    `${root}/docker run --rm --init --pull never --network host --ipc host`,
    `--user ${user} --workdir ${root}/attempts/abc-1`,
    '--name her-abc-1-0',
    `type=bind,source=/shared/model,target=/shared/model`,
    'type=bind,source=/tmp,target=/tmp',
    '--gpus all',
    '--env KEY',
    '--env HER_ATTEMPT',
    '--env MASTER_ADDR',
    `r.io/t@${digest} python -c`,
  ])
    expect(text).toContain(part);
  // What lies in a folder that is there already is not mounted once more.
  expect(text).not.toContain('source=/shared/model/part');
  const [program = '', ...args] = argv;
  const ran = await execa(program, args, { env: { ...wrapped.env, ...wrapped.secrets } });
  expect(ran.stdout).toBe('secret-value');
  expect(await readFile(join(root, 'asked'), 'utf8')).not.toContain('secret-value');
});

test('apptainer, rendered and run by a stand-in', async () => {
  const image = await imageEnvironment(node(), { image: `r.io/t@${digest}`, with: 'apptainer' }, along).catch(
    (error: unknown) => error,
  );
  // The stand-in pulls nothing: what has not arrived does not count.
  expect(image).toMatchObject({ code: 'ENVIRONMENT_SETUP' });
  await execa('mkdir', ['-p', join(root, 'images')]);
  await writeFile(join(root, 'images', `${digest.slice(7)}.sif`), '');
  const there = await imageEnvironment(node(), { image: `r.io/t@${digest}`, with: 'apptainer' }, along);
  const [{ argv } = { argv: [] }] = wrapRanks({ image: there }, request(), place()).ranks;
  expect(argv.slice(0, 6)).toEqual([
    join(root, 'apptainer'),
    'exec',
    '--home',
    `${root}/images/home`,
    '--pwd',
    `${root}/attempts/abc-1`,
  ]);
  expect(argv.join(' ')).toContain(
    `--bind /shared/model --nv ${root}/images/${digest.slice(7)}.sif python -c`,
  );
});

test('without an image nothing changes; a Ray cluster over several nodes in one is refused', async () => {
  const plain = request();
  expect(wrapRanks({ image: null }, plain, place())).toBe(plain);
  const image = await imageEnvironment(node(), { image: `r.io/t@${digest}`, with: 'docker' }, along);
  const gang = { launcher: 'ray' } as NonNullable<Wrappable['gang']>;
  expect(() => wrapRanks({ image }, request({ gang }), place())).toThrow('a Ray cluster over several nodes');
});

test('a tag alone is no image, byte for byte; a tool that is not there, or may not be used, is one line', async () => {
  expect(() => imageReference({ image: 'r.io/t:latest', with: 'docker' })).toThrow('byte for byte');
  await writeFile(
    join(root, 'docker'),
    '#!/bin/sh\necho "permission denied while trying to connect" >&2\nexit 1\n',
  );
  const spec = { image: `r.io/t@${digest}`, with: 'docker' } as const;
  await expect(imageEnvironment(node(), spec, along)).rejects.toMatchObject({
    message: 'a: docker cannot be used: permission denied while trying to connect',
  });
  process.env['PATH'] = '/nowhere:/usr/bin:/bin';
  await expect(imageEnvironment(node(), { ...spec, with: 'apptainer' }, along)).rejects.toMatchObject({
    message: 'a has no apptainer',
  });
});

test('a docker that may not lift the limit on locked memory runs the ranks without, and it is said', async () => {
  const refusing = `#!/bin/sh
case "$*" in *memlock*)
  echo 'docker: Error response from daemon: error setting rlimit type 8: operation not permitted' >&2
  exit 126 ;;
esac
`;
  await writeFile(join(root, 'docker'), refusing);
  const said: string[] = [];
  const say = (line: string): void => void said.push(line);
  const spec = { image: `r.io/t@${digest}`, with: 'docker' } as const;
  const image = await imageEnvironment(node(), spec, { ...along, say });
  expect(said).toEqual([expect.stringContaining('may not lift the limit on locked memory')]);
  expect(wrapRanks({ image }, request(), place()).ranks[0]?.argv).not.toContain('memlock=-1');
});

test('what the tool failed of is told, without its colours and its advice', async () => {
  const failing = `#!/bin/sh
[ "$1" = run ] || exit 0
printf '%s\\n' 'docker: exec python failed: No such file or directory' '' "Run 'docker run --help' for more information" >&2
exit 127
`;
  await writeFile(join(root, 'docker'), failing);
  const image = await imageEnvironment(node(), { image: `r.io/t@${digest}`, with: 'docker' }, along);
  await expect(image.look(join(root, 'uv.lock'))).rejects.toMatchObject({
    message: 'a: the image cannot be used: docker: exec python failed: No such file or directory',
  });

  const coloured = `#!/bin/sh
[ "$1" = exec ] || exit 0
printf '\\033[91mERROR  : Requesting capability set\\n\\033[0m' >&2
exit 1
`;
  await writeFile(join(root, 'apptainer'), coloured);
  await mkdir(join(root, 'images'), { recursive: true });
  await writeFile(join(root, 'images', `${digest.slice(7)}.sif`), '');
  const other = await imageEnvironment(node(), { image: `r.io/t@${digest}`, with: 'apptainer' }, along);
  await expect(other.look(join(root, 'uv.lock'))).rejects.toMatchObject({
    message: 'a: the image cannot be used: ERROR  : Requesting capability set',
  });
});
