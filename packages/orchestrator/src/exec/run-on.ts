import { HerError } from '../errors.ts';
import type { Runner } from '../targets/runner.ts';
import { type Asked, farArgv } from './far-side.ts';
import { type Frame, framesOf, NoFrame } from './frames.ts';

/** A machine to run something on. */
export type Place = { name: string; runner: Runner; python: string };

/**
 * Runs a command there and hands over what it prints. The exit code is the command's, as a shell would have it.
 * @throws {HerError} `AGENT_UNREACHABLE`: how it ended there, nobody can say
 */
export async function runOn(
  { name, runner, python }: Place,
  asked: Asked,
  put: (frame: Frame) => Promise<void>,
  signal: AbortSignal,
): Promise<number> {
  const { chunks, ended } = runner.stream(farArgv(python, asked), signal);
  try {
    for await (const frame of framesOf(chunks)) await put(frame);
  } catch (error) {
    if (!(error instanceof NoFrame)) throw error;
    throw new HerError('AGENT_FAILED', `${name} printed something before the command`, {
      hint: `Its login scripts must print nothing: \`ssh ${name} true\` shows it.`,
    });
  }
  const { exitCode, stderr, originalMessage } = await ended;
  const said = typeof stderr === 'string' ? (stderr.trim().split('\n').at(-1) ?? '') : '';
  if (exitCode !== undefined && said === '') return exitCode;
  if (signal.aborted) return exitCode ?? 130;
  // The program there prints nothing by itself: this is the shell, or Python, that could not run it.
  const why = said || originalMessage || 'it ended without an exit code';
  throw new HerError(exitCode === undefined ? 'AGENT_UNREACHABLE' : 'AGENT_FAILED', `${name}: ${why}`);
}
