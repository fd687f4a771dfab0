import { usableBytes } from './cards.ts';
import type { RlJob } from './rl-job.ts';
import { estimateRlMemory } from './rl-memory.ts';
import { engineNeed } from './rollout-cache.ts';
import { hostNeeds, type Machine, type Need } from './verdict.ts';

/** The needs of an RL job: the actor's GPUs, the shares of its engines, and its hosts. */
export function rlNeeds(job: RlJob, machine: Machine): [Need, ...Need[]] {
  const memory = estimateRlMemory(job, machine.cardGb);
  const { peak } = memory;
  const capacity = usableBytes(machine.cardGb);
  const gpu: Need = { where: 'gpu', moment: peak.name, terms: peak.terms, needed: peak.total, capacity };
  const engine = engineNeed(
    'rollout engine',
    job.actor.shape,
    job.rollout,
    machine.cardGb,
    job.prompt + job.reply,
  );
  const { reward } = job;
  const server = reward
    ? [engineNeed('reward engine', reward.shape, reward, machine.cardGb, reward.longest)]
    : [];
  return [gpu, engine, ...server, ...hostNeeds(memory.hostPerNode, machine)];
}
