import { formatProblem, InvalidStudyError } from '@her/configs';
import { LedgerError } from '@her/ledger';
import { exitCodes, HerError } from './errors.ts';
import { isDiskFull, systemWords } from './system-error.ts';
import { oneLine, printable } from './views/words.ts';

/** What a program said at its end, or several findings, are lines of these; every other error stays on one line. */
const inLines: ReadonlySet<string> = new Set([
  'ENVIRONMENT_SETUP',
  'UV_SETUP',
  'DISK_FULL',
  'AGENT_FAILED',
  'NODE_UNFIT',
]);

/** The one place where an error becomes text and an exit code. A mistake of ours shows its stack. */
export function reportError(error: unknown, stream: NodeJS.WritableStream): number {
  const say = (text: string): void => {
    stream.write(`${printable(text)}\n`);
  };
  if (error instanceof InvalidStudyError) {
    for (const problem of error.problems) say(oneLine(formatProblem(problem)));
    const count = error.problems.length;
    say(`${count} ${count === 1 ? 'mistake' : 'mistakes'}; nothing was started.`);
    return exitCodes.invalid;
  }
  if (error instanceof HerError) {
    const message = inLines.has(error.code) ? error.message : oneLine(error.message);
    say(`her: ${message} [${error.code}]`);
    say(oneLine(error.hint));
    return error.exitCode;
  }
  if (error instanceof LedgerError) {
    say(`her: ${oneLine(error.message)} [${error.code}]`);
    if (error.hint !== undefined) say(oneLine(error.hint));
    return error.code === 'LEDGER_LOCKED' ? exitCodes.waiting : exitCodes.ledger;
  }
  say(
    `her: a mistake in her itself, please report it:\n${error instanceof Error ? error.stack : String(error)}`,
  );
  return exitCodes.internal;
}

/** Standard output that takes nothing any more: a full disk, say. */
export function reportOutput(cause: unknown, stream: NodeJS.WritableStream): number {
  const code = isDiskFull(cause) ? 'DISK_FULL' : 'FILE_UNWRITABLE';
  const message = `standard output cannot be written: ${systemWords(cause)}`;
  return reportError(new HerError(code, message, { cause }), stream);
}
