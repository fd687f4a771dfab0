import { formatProblem, InvalidStudyError } from '@her/configs';
import { LedgerError } from '@her/ledger';
import { exitCodes, HerError } from './errors.ts';
import { printable } from './views/words.ts';

/** The one place where an error becomes text and an exit code. A mistake of ours shows its stack. */
export function reportError(error: unknown, stream: NodeJS.WritableStream): number {
  const say = (text: string): void => {
    stream.write(`${printable(text)}\n`);
  };
  if (error instanceof InvalidStudyError) {
    for (const problem of error.problems) say(formatProblem(problem));
    const count = error.problems.length;
    say(`${count} ${count === 1 ? 'mistake' : 'mistakes'}; nothing was started.`);
    return exitCodes.invalid;
  }
  if (error instanceof HerError) {
    say(`her: ${error.message} [${error.code}]`);
    say(error.hint);
    return error.exitCode;
  }
  if (error instanceof LedgerError) {
    say(`her: ${error.message} [${error.code}]`);
    if (error.hint !== undefined) say(error.hint);
    return error.code === 'LEDGER_LOCKED' ? exitCodes.waiting : exitCodes.ledger;
  }
  say(
    `her: a mistake in her itself, please report it:\n${error instanceof Error ? error.stack : String(error)}`,
  );
  return exitCodes.internal;
}
