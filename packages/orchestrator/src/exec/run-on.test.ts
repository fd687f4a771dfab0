import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { localRunner } from '../targets/local/local-runner.ts';
import type { Asked } from './far-side.ts';
import { framesOf, NoFrame } from './frames.ts';
import { runOn } from './run-on.ts';

const here = { name: 'here', runner: localRunner, python: 'python3' };

async function run(argv: string[], changes: Partial<Asked> = {}, signal = new AbortController().signal) {
  const said = { out: '', err: '' };
  const asked = { argv, env: null, cwd: null, without: [], ...changes };
  const code = await runOn(
    here,
    asked,
    async ({ stream, data }) => {
      said[stream] += Buffer.from(data).toString();
    },
    signal,
  );
  return { code, ...said };
}

test('both streams and the exit code come back; words are words, and nothing is read', async () => {
  const script = 'cat; printf "%s|" "$@"; echo bad >&2; exit 7';
  expect(await run(['sh', '-c', script, 'sh', '$HOME', "it's", '*'])).toEqual({
    code: 7,
    out: "$HOME|it's|*|",
    err: 'bad\n',
  });
  expect(await run(['sh', '-c', 'kill -9 $$'])).toMatchObject({ code: 137 });
  expect(await run(['no-such-program-of-ours'])).toMatchObject({
    code: 127,
    err: 'no-such-program-of-ours: No such file or directory\n',
  });
});

test('large outputs are whole', async () => {
  const { code, out } = await run(['sh', '-c', 'head -c 3000000 /dev/zero | tr "\\0" x']);
  expect([code, out.length, out.replaceAll('x', '')]).toEqual([0, 3_000_000, '']);
});

test('variables of secrets are not among those that it gets, and an attempt has its own', async () => {
  process.env['OF_A_SECRET'] = 'hidden';
  const plain = await run(['env'], { without: ['OF_A_SECRET'] });
  delete process.env['OF_A_SECRET'];
  expect(plain.out).toContain('PATH=');
  expect(plain.out).not.toContain('OF_A_SECRET');
  const own = await run(['sh', '-c', 'pwd; env | sort'], {
    env: { PATH: '/usr/bin:/bin', A: 'b' },
    cwd: '/usr',
  });
  expect(own.out.split('\n').filter((line) => !/^(_|PWD|OLDPWD|SHLVL|LC_CTYPE)=/.test(line))).toEqual([
    '/usr',
    'A=b',
    'PATH=/usr/bin:/bin',
    '',
  ]);
});

test('who lets go ends the command and what it started', async () => {
  const letGo = new AbortController();
  const mark = `4${process.pid}.25`;
  const running = run(['sh', '-c', `sleep ${mark} & sleep ${mark}`], {}, letGo.signal);
  const alive = async (): Promise<boolean> =>
    (await execa('pgrep', ['-f', `^sleep ${mark}`], { reject: false })).exitCode === 0;
  for (let i = 0; i < 100 && !(await alive()); i += 1) await sleep(50);
  expect(await alive()).toBe(true);
  letGo.abort();
  await running;
  for (let i = 0; i < 140 && (await alive()); i += 1) await sleep(50);
  expect(await alive()).toBe(false);
}, 20_000);

test('what is printed before the command is told from it', async () => {
  const chunks = (async function* () {
    yield Buffer.from('Welcome!\n');
  })();
  await expect(
    (async () => {
      for await (const _frame of framesOf(chunks)) throw new Error('a frame');
    })(),
  ).rejects.toBeInstanceOf(NoFrame);
});
