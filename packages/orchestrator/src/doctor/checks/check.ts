import { type Found, unknown } from '../finding.ts';
import type { Needs } from '../needs.ts';
import type { ReachedNode } from '../node-report.ts';
import type { Answer } from '../probe-reply.ts';

/** A pure function of what one node said. A check that a study does not need has no finding. */
export type NodeCheck = {
  name: string;
  /** Asked before every start too, where it takes no time. */
  quick: boolean;
  needed(needs: Needs): boolean;
  of(node: ReachedNode, needs: Needs): Found[];
};

/** A pure function of what all reached nodes said, by node. */
export type CrossCheck = Omit<NodeCheck, 'of'> & {
  of(nodes: readonly ReachedNode[], needs: Needs): ReadonlyMap<string, Found[]>;
};

export const always = (): boolean => true;

/** Whether jobs run on the machine that is looked at: of a scheduler it is the one with its commands. */
export const whereJobsRun = ({ kind }: Needs): boolean => kind !== 'slurm';

/** Goes on with what was answered; what was not is `unknown`, with the reason. */
export function given<T>(
  answer: Answer<T> | undefined,
  about: string,
  judge: (value: T) => Found[],
): Found[] {
  if (answer === undefined) return [unknown(`${about}: was not asked`)];
  if ('ok' in answer) return judge(answer.ok);
  if ('late' in answer)
    return [
      unknown(
        `${about}: no answer within ${answer.late} s`,
        'Something hangs there: a file system of the network, or a driver. Try it by hand on the node.',
      ),
    ];
  return [unknown(`${about}: ${answer.error}`)];
}
