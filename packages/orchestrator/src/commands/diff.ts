import { stat } from 'node:fs/promises';
import { describeStudy, diffStudies, type StudyDescription } from '@her/configs';
import { exitCodes, HerError } from '../errors.ts';
import { absolute, callerDirectory } from '../home.ts';
import { workerSources } from '../kit/materials.ts';
import { readKit } from '../kit/read-kit.ts';
import { openStudyFile } from '../study-file.ts';
import { diffLines } from '../views/diff.ts';
import { oneLine } from '../views/words.ts';

export type DiffOptions = { json: boolean };

/** `her diff A B`: what two studies or kits do differently. */
export async function diff(a: string, b: string, options: DiffOptions): Promise<number> {
  const found = diffStudies(await openSide(a), await openSide(b));
  const text = options.json
    ? JSON.stringify({ a, b, ...found })
    : diffLines({ a, b }, found).map(oneLine).join('\n');
  process.stdout.write(`${text}\n`);
  return found.same ? exitCodes.done : exitCodes.different;
}

/** A study file, or the folder of a kit. */
async function openSide(path: string): Promise<StudyDescription> {
  const place = absolute(path, callerDirectory());
  const found = await stat(place).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    const { loaded, plan } = await openStudyFile(path, callerDirectory(), { hash: false });
    return describeStudy(loaded, plan, await workerSources());
  }
  const kit = await readKit(place);
  if (kit !== undefined) return kit;
  throw new HerError('KIT_UNREADABLE', `${path} is a folder without a kit.json, so it is no kit`);
}
