import { stat } from 'node:fs/promises';
import { describeStudy, diffStudies, type StudyDescription } from '@her/configs';
import { exitCodes, HerError } from '../errors.ts';
import { absolute, callerDirectory } from '../home.ts';
import { editedFiles } from '../kit/former-kit.ts';
import { workerSources } from '../kit/materials.ts';
import { readKit } from '../kit/read-kit.ts';
import { openStudyFile } from '../study-file.ts';
import { diffLines } from '../views/diff.ts';
import { oneLine } from '../views/words.ts';

export type DiffOptions = { json: boolean };

/** `her diff A B`: what two studies or kits do differently. */
export async function diff(a: string, b: string, options: DiffOptions): Promise<number> {
  const [sideA, sideB] = [await openSide(a), await openSide(b)];
  const compared = diffStudies(sideA.described, sideB.described);
  const edited = { a: sideA.edited, b: sideB.edited };
  const same = compared.same && edited.a.length + edited.b.length === 0;
  const found = { ...compared, same, edited };
  const text = options.json
    ? JSON.stringify({ a, b, ...found })
    : diffLines({ a, b }, found).map(oneLine).join('\n');
  process.stdout.write(`${text}\n`);
  return found.same ? exitCodes.done : exitCodes.different;
}

/** `edited`: files of a kit that are not as `her render` wrote them, so that its `kit.json` does not speak for them. */
type Side = { described: StudyDescription; edited: string[] };

/** A study file, or the folder of a kit. */
async function openSide(path: string): Promise<Side> {
  const place = absolute(path, callerDirectory());
  const found = await stat(place).catch(() => undefined);
  if (found?.isDirectory() !== true) {
    const { loaded, plan } = await openStudyFile(path, callerDirectory(), { hash: false });
    return { described: describeStudy(loaded, plan, await workerSources()), edited: [] };
  }
  const kit = await readKit(place);
  if (kit !== undefined) return { described: kit, edited: await editedFiles(place, kit.files) };
  throw new HerError('KIT_UNREADABLE', `${path} is a folder without a kit.json, so it is no kit`);
}
