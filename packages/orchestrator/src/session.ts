import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Plan } from '@her/configs';
import { getBlob, type Ledger, openLedger, readEntries } from '@her/ledger';
import { exitCodes, HerError } from './errors.ts';
import type { Home, StudyHome } from './home.ts';
import { emptyState, fold, type StudyState } from './reconcile/state.ts';

/** A study's record, opened to read: no lock is taken. */
export type Recorded = { name: string; home: StudyHome; state: StudyState; plan: Plan };

/** Opens a study's ledger to write. Its name in the world is chosen once, when it is made. */
export async function openStudyLedger(home: Home, name: string): Promise<Ledger> {
  const { ledger: dir } = home.study(name);
  const origin = existsSync(join(dir, 'origin'))
    ? (await readFile(join(dir, 'origin'), 'utf8')).trim()
    : `her.local/${name}-${randomBytes(4).toString('hex')}`;
  const keyFile = home.keyFile(origin);
  await mkdir(dirname(keyFile), { recursive: true, mode: 0o700 });
  return openLedger({ dir, origin, keyFile });
}

/** The state of a study, from its first entry. */
export async function foldLedger(dir: string): Promise<StudyState> {
  const state = emptyState();
  for await (const entry of readEntries(dir)) fold(state, entry);
  return state;
}

/** The name and folder of a recorded study: by its name, its file, or as the only one of the home. */
export async function findRecorded(
  home: Home,
  named: string | undefined,
): Promise<{ name: string; home: StudyHome }> {
  const name = named === undefined ? await onlyStudy(home) : studyName(named);
  const study = home.study(name);
  if (existsSync(study.ledger)) return { name, home: study };
  throw new HerError('NOTHING_RECORDED', `nothing is recorded of a study named ${name} in ${home.root}`, {
    hint: `Recorded there: ${(await studiesIn(home)).join(', ') || 'nothing'}.`,
    exitCode: exitCodes.invalid,
  });
}

/** Reads a study's record, from its first entry. */
export async function readRecorded(home: Home, named: string | undefined): Promise<Recorded> {
  const { name, home: study } = await findRecorded(home, named);
  const state = await foldLedger(study.ledger);
  if (state.registered === null) {
    throw new HerError('NOTHING_RECORDED', `the ledger of ${name} holds no registered study yet`, {
      hint: 'Its first run was cut short. Run it again: `her run STUDY`.',
    });
  }
  const plan = JSON.parse((await getBlob(study.ledger, state.registered.planBlob)).toString('utf8')) as Plan;
  return { name, home: study, state, plan };
}

export async function studiesIn(home: Home): Promise<string[]> {
  const names = await readdir(join(home.root, 'studies')).catch(() => []);
  return names.filter((name) => existsSync(home.study(name).ledger)).sort();
}

async function onlyStudy(home: Home): Promise<string> {
  const names = await studiesIn(home);
  const [only] = names;
  if (only !== undefined && names.length === 1) return only;
  const message =
    only === undefined
      ? `nothing is recorded in ${home.root}`
      : `several studies are recorded: ${names.join(', ')}`;
  const hint =
    only === undefined
      ? 'Start one: `her run studies/tiny.yaml`. Or name the folder with --home.'
      : 'Name one with --study.';
  throw new HerError('NOTHING_RECORDED', message, { hint, exitCode: exitCodes.invalid });
}

/** `studies/tiny.yaml` and `tiny` name the same study as long as the file is named after it. */
function studyName(named: string): string {
  return named.replace(/^.*\//, '').replace(/\.ya?ml$/, '');
}
