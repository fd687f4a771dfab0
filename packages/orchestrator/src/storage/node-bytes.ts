import { HerError } from '../errors.ts';
import { streamed } from '../targets/agent-answer.ts';
import type { Node } from '../targets/target.ts';

/** The bytes of a file of an attempt's folder on its node, from an offset on. */
export async function* nodeBytes(
  node: Pick<Node, 'name' | 'runner' | 'attemptPath'>,
  attempt: string,
  path: string,
  from: number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array> {
  const whole = await node.attemptPath(attempt, path);
  const { chunks, ended } = node.runner.stream(['tail', '-c', `+${from + 1}`, '--', whole], signal);
  let began = false;
  try {
    for await (const chunk of streamed(chunks, ended, 'tail', signal)) {
      began = true;
      yield chunk;
    }
  } catch (error) {
    if (!began && !signal.aborted && (await isMissing(node, whole)))
      throw new HerError('CHECKPOINT_GONE', `${whole} is no longer on ${node.name}`, { cause: error });
    throw error;
  }
}

async function isMissing({ runner }: Pick<Node, 'runner'>, path: string): Promise<boolean> {
  return (await runner.run(['test', '-e', path])).exitCode === 1;
}
