import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { JobId, Plan } from '@her/configs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openHome } from './home.ts';
import { chain, here } from './reconcile/testing.ts';
import { registerStudy } from './register.ts';
import { foldLedger, openStudyLedger } from './session.ts';
import type { PlannedStudy } from './study-file.ts';

let root = '';

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'her-register-'));
});

afterEach(() => rm(root, { recursive: true, force: true }));

/** A plan too large for its entry, with one job that differs by `id`. */
function planned(digest: string, id: string): PlannedStudy {
  const [first] = chain().jobs;
  if (first === undefined) throw new Error('the fixture has a job');
  const jobs = Array.from({ length: 400 }, (_, i) => {
    const hex = i.toString(16).padStart(16, '0');
    return { ...first, name: `job/${i}`, id: (i === 7 ? id : hex) as JobId };
  });
  const plan: Plan = {
    study: 'large',
    digest: digest.repeat(64),
    primary: null,
    target: 'target',
    jobs,
    ...here,
  };
  return {
    file: '',
    text: '',
    loaded: {} as PlannedStudy['loaded'],
    study: {} as PlannedStudy['study'],
    plan,
    locate: (path) => path,
  };
}

test('an amendment of a large plan names the jobs that changed, and no others', async () => {
  const home = openHome(root);
  const ledger = await openStudyLedger(home, 'large');
  try {
    for (const study of [planned('a', 'a'.repeat(16)), planned('b', 'b'.repeat(16))])
      await registerStudy(ledger, await foldLedger(ledger.dir), study);
    const { registered } = await foldLedger(ledger.dir);
    expect(registered).toMatchObject({ kind: 'study.amended', changed: ['job/7'] });
  } finally {
    await ledger.close();
  }
});

test('a study whose folder was removed can be begun anew, with a new key', async () => {
  const home = openHome(root);
  await (await openStudyLedger(home, 'large')).close();
  await rm(home.study('large').root, { recursive: true });
  const again = await openStudyLedger(home, 'large');
  await again.close();
  await (await openStudyLedger(home, 'large')).close();
});
