import { join } from 'node:path';
import { kitSchema, openQuestions, renderKit } from '@her/configs';
import { absolute, callerDirectory } from '../home.ts';
import { kitMaterials } from '../kit/materials.ts';
import { writeKit } from '../kit/write-kit.ts';
import { readPlainFile } from '../plain-file.ts';
import { openStudyFile } from '../study-file.ts';
import { renderLines } from '../views/render.ts';
import { oneLine } from '../views/words.ts';
import { refuseEmpty } from './arguments.ts';

export type RenderOptions = { out: string; target?: string; json: boolean };

/** `her render STUDY --out DIR`: the launch kit, by which a person runs the study without `her`. */
export async function render(file: string, options: RenderOptions): Promise<number> {
  refuseEmpty('--out', options.out);
  const folder = absolute(options.out, callerDirectory());
  const planned = await openStudyFile(file, callerDirectory(), { target: options.target });
  const { loaded, plan } = planned;
  const files = renderKit(loaded, plan, await kitMaterials(planned));
  const { replaced } = await writeKit(folder, files);

  const kit = kitSchema.parse(JSON.parse(String(files['kit.json'])));
  const questions = openQuestions(loaded.questions).map(([name]) => name);
  const unpinned = [...new Set(plan.jobs.flatMap(({ inputs }) => inputs.flatMap(unpinnedInput)))];
  const former = await formerOutputs(folder, kit.jobs);
  if (options.json) {
    const jobs = kit.jobs.map(({ name, id, folder: inKit }) => ({ name, id, folder: `jobs/${inKit}` }));
    const paths = Object.keys(files).sort();
    const { study, target } = plan;
    const found = { kit: folder, study, target, replaced, jobs, files: paths, questions, unpinned, former };
    process.stdout.write(`${JSON.stringify(found)}\n`);
    return 0;
  }
  const count = Object.keys(files).length;
  const shown = { study: plan.study, out: options.out, jobs: kit.jobs, files: count, replaced };
  const lines = renderLines({ ...shown, questions, unpinned, former });
  process.stdout.write(`${lines.map(oneLine).join('\n')}\n`);
  return 0;
}

type Input = Awaited<ReturnType<typeof openStudyFile>>['plan']['jobs'][number]['inputs'][number];

function unpinnedInput({ from }: Input): string[] {
  if (from.kind === 'hub') return [from.id];
  return from.kind === 'path' && from.digest === null ? [from.path] : [];
}

/** Jobs of which the kit's folder still has what another version of them wrote. */
async function formerOutputs(
  folder: string,
  jobs: readonly { id: string; folder: string }[],
): Promise<string[]> {
  const found = await Promise.all(
    jobs.map(async ({ id, folder: inKit }) => {
      const ran = await readPlainFile(join(folder, 'jobs', inKit, 'out', '.job')).catch(() => undefined);
      return ran === undefined || ran.toString('utf8').trim() === id ? [] : [`jobs/${inKit}`];
    }),
  );
  return found.flat();
}
