import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type LoadedStudy, loadStudy, type Plan, type PlanHashes, planStudy, type Study } from '@her/configs';
import { HerError } from './errors.ts';
import { hashTree, ownCode } from './hash-tree.ts';
import { absolute, folderOf, installation } from './home.ts';
import { readPlainFile, Unreadable } from './plain-file.ts';
import { studyTextOf } from './study-text.ts';

/** A study as found on disk, with its plan. */
export type PlannedStudy = {
  file: string;
  text: string;
  loaded: LoadedStudy;
  study: Study;
  plan: Plan;
  locate: (path: string) => string;
};

export type OpenOptions = {
  /** The target to take, by name, instead of the one that the file chooses. */
  target?: string | undefined;
  /** Whether the files that the study names are hashed; without, ids of jobs that read them are not those of a run. */
  hash?: boolean;
};

/**
 * Reads, checks and plans a study file. Files it names are hashed here, so that planning itself reads nothing.
 * @throws {InvalidStudyError} with every mistake
 */
export async function openStudyFile(
  path: string,
  from: string,
  { target, hash = true }: OpenOptions = {},
): Promise<PlannedStudy> {
  const file = absolute(path, from);
  const text = studyTextOf(await readStudy(path, file), path);
  const locate = (named: string): string => absolute(named, folderOf(file));
  const world = {
    exists: (named: string) => existsSync(locate(named)),
    ...(target === undefined ? {} : { target }),
  };
  const loaded = loadStudy(text, path, world);
  const { study } = loaded;
  const plan = planStudy(loaded, await hashesFor(hash ? namedPaths(loaded) : [], locate));
  return { file, text, loaded, study, plan, locate };
}

async function readStudy(path: string, file: string): Promise<Buffer> {
  return await readPlainFile(file).catch((cause: unknown) => {
    if (!(cause instanceof Unreadable)) throw cause;
    if (cause.code === undefined)
      throw new HerError('INPUT_UNREADABLE', `the study file ${path} cannot be read: ${cause.message}`, {
        hint: 'Name a plain file: her run studies/tiny.yaml.',
        cause,
      });
    throw new HerError('STUDY_NOT_FOUND', `the study file ${path} cannot be read (looked at ${file})`, {
      hint: 'Paths start where you stand. The example: her run studies/tiny.yaml.',
      cause,
    });
  });
}

/** Every path of this machine that a job reads. */
function namedPaths({ arms }: LoadedStudy): string[] {
  return arms.flatMap(({ study }) => {
    const local = study.target.kind === 'local';
    const declared = [...Object.values(study.models), ...Object.values(study.data)].filter(
      ({ via }) => local || via !== undefined,
    );
    const rewards = Object.values(study.stages).flatMap((stage) =>
      stage.kind === 'rl' && stage.reward.file !== undefined ? [stage.reward.file.replace(/:\w+$/, '')] : [],
    );
    return [...declared.flatMap(({ path }) => (path === undefined ? [] : [path])), ...rewards];
  });
}

async function hashesFor(paths: readonly string[], locate: (path: string) => string): Promise<PlanHashes> {
  const inputs = new Map<string, string>();
  for (const path of new Set(paths)) inputs.set(path, await hashTree(locate(path)));
  const modules = join(installation, 'workers', 'python', 'src', 'her_workers');
  const code = new Map<string, string>();
  for (const entry of await readdir(modules, { withFileTypes: true })) {
    if (entry.name === '__pycache__') continue;
    code.set(entry.name.replace(/\.py$/, ''), await hashTree(join(modules, entry.name), ownCode));
  }
  return { path: (path) => inputs.get(path) ?? null, code: (module) => known(code, module) };
}

function known(hashes: Map<string, string>, name: string): string {
  const found = hashes.get(name);
  if (found === undefined) throw new TypeError(`${name} was not hashed`);
  return found;
}
