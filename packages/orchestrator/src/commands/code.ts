import { collectCode } from '../bundle/code.ts';
import { megabytes } from '../bundle/code-errors.ts';
import { explainIgnored } from '../bundle/ignored.ts';
import { exitCodes } from '../errors.ts';
import { callerDirectory } from '../home.ts';
import { openStudyFile } from '../study-file.ts';
import { tableLines } from '../views/table.ts';
import { oneLine } from '../views/words.ts';

export type CodeCommandOptions = { ignored: boolean; allowDirty: boolean; json: boolean };

/** `her code STUDY`: the study's own code as it goes to the nodes, and each file that stays here, with the rule. */
export async function code(file: string, options: CodeCommandOptions): Promise<number> {
  const { plan, locate } = await openStudyFile(file, callerDirectory(), { hash: false });
  if (plan.code === null) {
    process.stdout.write(
      options.json
        ? 'null\n'
        : 'The study names no code of its own (`code: { path: . }`): nothing goes over.\n',
    );
    return exitCodes.done;
  }
  const folder = locate(plan.code.path);
  const { files, bytes, commit, digest, dirty } = await collectCode(folder, options);
  const ignored = options.ignored ? await explainIgnored(folder) : [];
  if (options.json) {
    const paths = files.map(({ path }) => path);
    const changed = dirty?.files ?? [];
    const told = { commit, digest, bytes, files: paths, changed, ...(options.ignored ? { ignored } : {}) };
    process.stdout.write(`${JSON.stringify(told)}\n`);
    return exitCodes.done;
  }
  const say = (line: string): void => void process.stdout.write(`${oneLine(line)}\n`);
  say(`${files.length} files, ${megabytes(bytes)}, of commit ${commit}`);
  if (dirty !== null) say(`with ${dirty.files.length} files that differ from it: ${dirty.files.join(', ')}`);
  const rows = ignored.map(({ path, rule, file: by, line }) => [path, rule, `${by}:${line}`]);
  if (rows.length > 0)
    for (const line of ['', ...tableLines(['stays here', 'rule', 'from'], rows)]) say(line);
  if (options.ignored && rows.length === 0) say('No file is left out.');
  if (!options.ignored)
    say('next    her code STUDY --ignored   names each file that stays here, with the rule');
  return exitCodes.done;
}
