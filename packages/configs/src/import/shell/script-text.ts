import type { Script } from 'unbash';
import { ImportError } from '../problem.ts';
import { type Flow, next } from './flow.ts';
import { Lines, parseShell } from './parse.ts';
import type { Run } from './run.ts';
import { isUnknown, type Value } from './value.ts';

/**
 * Reads text that a script gives to a shell: `bash -c "…"`, `eval`, a here-document. Unknown pieces are parked while
 * the text is parsed, under marks from Unicode's private area, and come back as pieces of the words they end up in.
 */
export function readText(
  run: Run,
  script: Value,
  line: number,
  read: (run: Run, script: Script) => Flow,
): Flow {
  const source = script
    .map((piece) => {
      if (!isUnknown(piece)) return piece.text;
      return `\uE000${run.parked.push([piece]) - 1}\uE001`;
    })
    .join('');
  run.budget.spend('characters', source.length, line);
  run.budget.spend('steps', 1 + Math.floor(source.length / 64), line);
  const { lines } = run;
  run.lines = new Lines(source, Math.max(1, line));
  try {
    const parsed = parsedOrNoted(run, line);
    return parsed ? read(run, parsed) : next;
  } finally {
    run.lines = lines;
  }
}

function parsedOrNoted(run: Run, line: number): Script | undefined {
  try {
    return parseShell(run.lines, run.file);
  } catch (error) {
    if (!(error instanceof ImportError) || error.code !== 'IMPORT_SYNTAX') throw error;
    run.notes.add({
      line,
      code: 'not-read',
      message: `the text given to a shell here is not Bash: ${error.message}`,
    });
    return undefined;
  }
}
