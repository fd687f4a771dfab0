import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hashTree } from '../packages/orchestrator/src/hash-tree.ts';
import { openHome } from '../packages/orchestrator/src/home.ts';
import { openStore, type Store } from '../packages/orchestrator/src/storage/store.ts';
import { commandNode } from '../packages/orchestrator/src/storage/testing.ts';
import { tryStore } from '../packages/orchestrator/src/storage/try-store.ts';
import { bed, bedlessReason } from './support/bed.ts';
import { checkout, entriesOf, her } from './support/her.ts';
import {
  finish,
  openStoreBed,
  openUploaderOf,
  type StoreBed,
  type StoreStudy,
  specOf,
  watched,
} from './support/store-study.ts';

const lacking = bedlessReason('The upload of checkpoints');

const MiB = 1024 * 1024;
const none = new AbortController().signal;
let here: StoreBed;

describe.skipIf(lacking !== null)('the upload of checkpoints', { timeout: 120_000 }, () => {
  beforeAll(async () => {
    here = await openStoreBed();
  }, 900_000);

  afterAll(async () => {
    await here?.close();
  });

  test('from a host over ssh to the store, and back by name; no credential or URL is left anywhere', async () => {
    const study = await here.newStudy();
    const digest = await here.save(study, 4, [
      ['model.bin', 40 * MiB + 17],
      ['deep/state.json', 123],
      ['empty', 0],
    ]);
    const commands: string[] = [];
    const { uploader, said } = await openUploaderOf(study, {
      node: watched(here.onHost(study), async (said) => {
        if (said.type !== 'piece') return;
        const { stdout } = await execa('sh', ['-c', 'cat /proc/[0-9]*/cmdline | tr "\\0" " "']);
        commands.push(stdout);
      }),
    });
    expect(await uploader.drain(none)).toBe(0);
    await finish(study, uploader);
    const [stored] = await entriesOf(here.home, '--study', study.name, '--kind', 'checkpoint.stored');
    expect(stored).toMatchObject({ step: 4, digest, node: here.host, bytes: 40 * MiB + 140 });
    expect(said.at(-1)).toMatch(/^checkpoint 4 of \S+ is stored: s3:\/\//);
    const out = join(here.root, 'fetched');
    const fetched = await her(here.home, [
      'fetch',
      'sft/11@4',
      '--study',
      study.name,
      '--out',
      out,
      '--json',
    ]);
    expect(JSON.parse(String(fetched.stdout))).toMatchObject({ from: 'store', out, files: 3 });
    expect(await hashTree(out)).toBe(await hashTree(join(study.folder, 'out/checkpoint-4')));
    const again = await her(here.home, ['fetch', digest.slice(0, 12), '--study', study.name, '--out', out]);
    expect([again.exitCode, String(again.stderr)]).toEqual([2, expect.stringContaining('[FILE_TAKEN]')]);
    const other = `${out}-node`;
    const byNode = ['fetch', 'sft/11', '--study', study.name, '--out', other, '--from', 'node'];
    expect((await her(here.home, byNode)).stderr).toBe('');
    expect(await hashTree(other)).toBe(await hashTree(out));
    const grep = await execa(
      'grep',
      ['-rlE', `${here.credentials.secretAccessKey}|X-Amz-Signature`, here.root],
      {
        reject: false,
      },
    );
    expect(grep.stdout).toBe('');
    expect(commands.join().includes('X-Amz-')).toBe(false);
    expect(commands.join().includes(here.credentials.secretAccessKey)).toBe(false);
    expect(commands.join()).toContain(' upload --root');
  });

  test('an agent that is killed in the middle: what the store has is not sent again', async () => {
    const study = await here.newStudy();
    await here.save(study, 4, [['model.bin', 112 * MiB]]);
    const sent: number[] = [];
    let pid = 0;
    const node = watched(
      commandNode(here.host, here.rootOf(study), ['python3', here.agent], (started) => {
        pid = started;
      }),
      (said) => {
        if (said.type !== 'sent') return;
        sent.push(Number(said['part']));
        if (sent.length === 3) process.kill(pid, 'SIGKILL');
      },
    );
    const { uploader } = await openUploaderOf(study, { node });
    expect(await uploader.drain(none)).toBe(0);
    await finish(study, uploader);
    const twice = sent.length - new Set(sent).size;
    process.stderr.write(`agent killed: 7 parts, ${sent.length} sent, ${twice} of them twice\n`);
    // Those that were under way when it was killed may be there without its word.
    expect(twice).toBe(0);
    expect(await here.stored(study)).toEqual([4]);
  });

  test('an orchestrator that is killed in the middle, and started again', async () => {
    const study = await here.newStudy();
    await here.save(study, 4, [['model.bin', 112 * MiB]]);
    await study.ledger.close();
    const child = execa('node', ['--input-type=module-typescript', '-e', orchestrator(here, study)], {
      cwd: checkout,
      reject: false,
      buffer: false,
    } as const);
    const before: string[] = [];
    for await (const line of child) {
      before.push(line);
      if (before.length === 3) child.kill('SIGKILL');
    }
    expect(before.length).toBeGreaterThanOrEqual(3);
    const next = await here.reopened(study);
    const after: number[] = [];
    const node = watched(
      here.local(next),
      (said) => said.type === 'sent' && after.push(Number(said['part'])),
    );
    const { uploader } = await openUploaderOf(next, { node });
    expect(await uploader.drain(none)).toBe(0);
    await finish(next, uploader);
    process.stderr.write(`orchestrator killed: 7 parts, ${before.length} before, ${after.length} after\n`);
    expect(after.length).toBeLessThanOrEqual(7 - 3);
    expect(await here.stored(study)).toEqual([4]);
  });

  test('a link that is cut for some seconds', async () => {
    const study = await here.newStudy();
    await here.save(study, 4, [['model.bin', 224 * MiB]]);
    const sent: number[] = [];
    let restored: Promise<unknown> | undefined;
    const node = watched(here.onHost(study), async (said) => {
      if (said.type === 'sent') sent.push(Number(said['part']));
      if (sent.length !== 2 || restored !== undefined) return;
      restored = sleep(6_000);
      await bed(['cut', here.host]);
      restored = sleep(6_000).then(() => bed(['restore', here.host]));
    });
    const { uploader, said } = await openUploaderOf(study, { node, firstPause: 3_000 });
    const left = await uploader.drain(none).finally(() => restored);
    await finish(study, uploader);
    process.stderr.write(`link cut: 14 parts, ${sent.length} sent; ${said[0]}\n`);
    expect(left).toBe(0);
    expect(said[0]).toMatch(/^checkpoints are not stored: .*; it is tried again$/);
    expect(sent.length).toBeLessThanOrEqual(14 + 8);
    expect(await here.stored(study)).toEqual([4]);
  });

  test('URLs that ran out are renewed, and the store refuses other bytes than were signed for', async () => {
    const study = await here.newStudy();
    await here.save(study, 4, [['model.bin', 20 * MiB]]);
    const short = openStore(specOf(study.plan), { urlSeconds: 1 });
    const store = openStore(specOf(study.plan));
    let late = 0;
    const signPart: Store['signPart'] = async (...asked) => {
      if (late > 0) return store.signPart(...asked);
      late += 1;
      const signed = await short.signPart(...asked);
      await sleep(2_500);
      return signed;
    };
    const failures: unknown[] = [];
    const node = watched(here.local(study), (said) => said.type === 'failed' && failures.push(said));
    const { uploader } = await openUploaderOf(study, { node, store: { ...store, signPart } });
    expect(await uploader.drain(none)).toBe(0);
    await finish(study, uploader);
    expect(failures).toEqual([expect.objectContaining({ status: 403 })]);
    const right = createHash('sha256').update('right').digest('hex');
    const { url, headers } = await store.signPut(`${study.name}/x`, right);
    const refused = await fetch(url, { method: 'PUT', headers, body: 'wrong' });
    expect([refused.status, await store.facts(`${study.name}/x`)]).toEqual([400, null]);
    short.close();
    store.close();
  });

  test('a checkpoint that is no longer what was saved leaves nothing in the store', async () => {
    const study = await here.newStudy();
    await here.save(study, 4, [['model.bin', 40 * MiB]]);
    const file = join(study.folder, 'out/checkpoint-4/model.bin');
    const bytes = await readFile(file);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    await writeFile(file, bytes);
    const { uploader, said } = await openUploaderOf(study, { node: here.local(study) });
    expect(await uploader.drain(none)).toBe(0);
    await finish(study, uploader);
    expect(said).toEqual([
      expect.stringMatching(/can no longer be stored: .*model\.bin is not the file that was saved/),
    ]);
    const [removed] = await entriesOf(here.home, '--study', study.name, '--kind', 'checkpoint.removed');
    expect(removed).toMatchObject({ from: 'node', step: 4 });
    await here.withStore(specOf(study.plan).to, async (store) => {
      const prefix = `${specOf(study.plan).to.split('/').slice(3).join('/')}/`;
      expect([await store.list(prefix), await store.uploads(prefix)]).toEqual([[], []]);
    });
  });

  test('credentials that are wrong are one line, and nothing fails', async () => {
    const study = await here.newStudy();
    await here.save(study, 4, [['small', 9]]);
    const secret = 'wrong'.repeat(8);
    process.env['AWS_SECRET_ACCESS_KEY'] = secret;
    try {
      await expect(tryStore(specOf(study.plan))).rejects.toMatchObject({ code: 'STORE_REFUSED' });
      const { uploader, said } = await openUploaderOf(study, { node: here.local(study) });
      expect(await uploader.drain(none)).toBe(1);
      expect(said).toEqual([
        expect.stringMatching(/^checkpoints are not stored: cannot .*SignatureDoesNotMatch.*AWS_PROFILE/),
        '1 checkpoint is not stored yet; `her run` goes on',
      ]);
      expect(said.join()).not.toContain(secret);
      await uploader.close();
    } finally {
      process.env['AWS_SECRET_ACCESS_KEY'] = here.credentials.secretAccessKey;
    }
    await tryStore(specOf(study.plan));
    const { uploader } = await openUploaderOf(study, { node: here.local(study) });
    expect(await uploader.drain(none)).toBe(0);
    await finish(study, uploader);
    expect(await here.stored(study)).toEqual([4]);
  });
});

/** A program that does what a run does about checkpoints, and says each part that was sent. */
function orchestrator({ home, host, agent, rootOf }: StoreBed, { name, plan, ledger }: StoreStudy): string {
  const from = (path: string) => JSON.stringify(join(checkout, 'packages', path));
  const { dir, origin } = ledger;
  const keyFile = openHome(home).keyFile(origin);
  return `
    import { openLedger } from ${from('ledger/src/index.ts')};
    import { commandNode } from ${from('orchestrator/src/storage/testing.ts')};
    import { openUploader } from ${from('orchestrator/src/storage/uploader.ts')};
    const ledger = await openLedger(${JSON.stringify({ dir, origin, keyFile })});
    const inner = commandNode('${host}', '${rootOf({ name })}', ['python3', '${agent}']);
    const node = { name: inner.name, converse: async function* (...asked) {
      for await (const line of inner.converse(...asked)) {
        if (JSON.parse(line).type === 'sent') console.log('sent');
        yield line;
      }
    } };
    const uploader = await openUploader({ spec: ${JSON.stringify(plan.store)}, study: '${name}', ledger,
      record: (bodies) => ledger.append(bodies), node: () => node, say: () => undefined });
    await uploader.drain(new AbortController().signal);`;
}
