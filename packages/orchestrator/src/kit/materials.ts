import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { KitMaterials } from '@her/configs';
import { uvVersion } from '../environments/uv.ts';
import { ownCode } from '../hash-tree.ts';
import { installation } from '../home.ts';
import { readNamedBytes } from '../plain-file.ts';
import type { PlannedStudy } from '../study-file.ts';

/** What a kit carries besides the plan. Everything lies where it lies here, so that the locks' relative paths hold. */
export async function kitMaterials({ text, plan, locate }: PlannedStudy): Promise<KitMaterials> {
  const locks: KitMaterials['locks'] = {};
  for (const name of new Set(plan.jobs.map(({ environment }) => environment)))
    locks[name] = await textsUnder(`infra/envs/${name}`);
  const rewards: KitMaterials['rewards'] = {};
  for (const { name, from } of plan.jobs.flatMap(({ inputs }) => inputs)) {
    if (from.kind !== 'path' || !name.startsWith('reward/')) continue;
    // A path of the nodes may not be here; the kit then asks for it.
    const here = locate(from.path);
    if ((await stat(here).catch(() => undefined)) === undefined) continue;
    rewards[from.path] = await readNamedBytes(here, `the reward function ${from.path}`);
  }
  return { studyText: text, workers: await workerSources(), locks, rewards, uv: uvVersion };
}

/** The package of our own node-side code, with its licence. */
export async function workerSources(): Promise<Record<string, string>> {
  const root = 'workers/python';
  return {
    [`${root}/LICENSE`]: await readFile(join(installation, 'LICENSE'), 'utf8'),
    [`${root}/pyproject.toml`]: await readFile(join(installation, root, 'pyproject.toml'), 'utf8'),
    ...(await textsUnder(`${root}/src/her_workers`)),
  };
}

/** Files of the installation, by their path in it; hidden ones, caches and tests are left out. */
async function textsUnder(folder: string): Promise<Record<string, string>> {
  const texts: Record<string, string> = {};
  const visit = async (path: string): Promise<void> => {
    const entries = await readdir(join(installation, path), { withFileTypes: true });
    for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
      const inside = `${path}/${entry.name}`;
      if (entry.name.startsWith('.') || !ownCode(entry.name)) continue;
      if (entry.isDirectory()) await visit(inside);
      else texts[inside] = await readFile(join(installation, inside), 'utf8');
    }
  };
  await visit(folder);
  return texts;
}
