import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadStudy, type Plan, type PlanHashes, planStudy, type Study } from '@her/configs';
import { HerError } from './errors.ts';
import { hashTree, ownCode } from './hash-tree.ts';
import { absolute, folderOf, installation } from './home.ts';

/** A study as found on disk, with its plan. */
export type PlannedStudy = {
  file: string;
  text: string;
  study: Study;
  plan: Plan;
  locate: (path: string) => string;
};

/**
 * Reads, checks and plans a study file. Files it names are hashed here, so that planning itself reads nothing.
 * @throws {InvalidStudyError} with every mistake
 */
export async function openStudyFile(path: string, from: string): Promise<PlannedStudy> {
  const file = absolute(path, from);
  const text = await readFile(file, 'utf8').catch((cause: unknown) => {
    throw new HerError('STUDY_NOT_FOUND', `the study file ${path} cannot be read (looked at ${file})`, {
      hint: 'Paths start where you stand. The example: her run studies/tiny.yaml.',
      cause,
    });
  });
  const locate = (named: string): string => absolute(named, folderOf(file));
  const { study } = loadStudy(text, path, { exists: (named) => existsSync(locate(named)) });
  const plan = planStudy(study, await hashesFor(study, locate));
  return { file, text, study, plan, locate };
}

async function hashesFor(study: Study, locate: (path: string) => string): Promise<PlanHashes> {
  const paths = [...Object.values(study.models), ...Object.values(study.data)].flatMap(({ path }) =>
    path === undefined ? [] : [path],
  );
  const inputs = new Map<string, string>();
  for (const path of new Set(paths)) inputs.set(path, await hashTree(locate(path)));
  const modules = join(installation, 'workers', 'python', 'src', 'her_workers');
  const code = new Map<string, string>();
  for (const entry of await readdir(modules, { withFileTypes: true })) {
    if (entry.name === '__pycache__') continue;
    code.set(entry.name.replace(/\.py$/, ''), await hashTree(join(modules, entry.name), ownCode));
  }
  return { path: (path) => known(inputs, path), code: (module) => known(code, module) };
}

function known(hashes: Map<string, string>, name: string): string {
  const found = hashes.get(name);
  if (found === undefined) throw new TypeError(`${name} was not hashed`);
  return found;
}
