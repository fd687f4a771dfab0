import { type SeedRow, type SeedSource, seedOf, seedTable } from '../../seeds/table.ts';
import type { StageOf } from '../../study/stage-schemas.ts';

type RlStage = StageOf<'rl'>;

/** Every random source of a verl 0.9.1 run. verl has no seed for the whole; what it cannot seed is listed too. */
export function rlSeedSources(stage: Pick<RlStage, 'engine' | 'reward'>): readonly SeedSource[] {
  const judged = stage.reward.model !== undefined;
  return [
    ...shared,
    ...(stage.engine === 'megatron' ? megatronSources : fsdpSources),
    {
      source: 'reward.reward_model.rollout.seed',
      drives: judged
        ? 'tokens sampled by the reward model server'
        : 'a reward model server, where there is one',
      effect: judged ? 'effective' : 'inert',
    },
    ...unseeded,
  ];
}

const shared: readonly SeedSource[] = [
  { source: 'data.seed', drives: 'order of the prompts', effect: 'effective' },
  {
    source: 'actor_rollout_ref.rollout.seed',
    drives: 'tokens sampled by the rollout engine',
    effect: 'effective',
  },
  {
    source: 'actor_rollout_ref.actor.data_loader_seed',
    drives: 'order of mini-batches, when the actor shuffles',
    effect: 'inert',
  },
];

const fsdpSources: readonly SeedSource[] = [
  {
    source: 'actor_rollout_ref.actor.fsdp_config.seed',
    drives: 'the actor, under full determinism only',
    effect: 'inert',
  },
  {
    source: 'actor_rollout_ref.ref.fsdp_config.seed',
    drives: 'the reference model, under full determinism only',
    effect: 'inert',
  },
];

const megatronSources: readonly SeedSource[] = [
  {
    source: 'actor_rollout_ref.actor.megatron.seed',
    drives: "the actor's dropout and new parameters",
    effect: 'inert',
  },
  {
    source: 'actor_rollout_ref.ref.megatron.seed',
    drives: "the reference model's, which trains nothing",
    effect: 'inert',
  },
];

const unseeded: readonly SeedSource[] = [
  { source: 'PYTHONHASHSEED', drives: 'order of Python sets', effect: 'inert' },
  { source: 'rollout completion order', drives: 'which replies are trained on first', effect: 'unseeded' },
  {
    source: 'choice among equally loaded rollout replicas',
    drives: 'which engine samples a reply',
    effect: 'unseeded',
  },
  { source: 'request ids (uuid4)', drives: 'order among equal requests', effect: 'unseeded' },
];

/** The table of one run. Engines' own seeds are not ours to choose: verl gives engine k the rollout's plus k. */
export function rlSeedTable(root: number, stageName: string, stage: RlStage, engines: number): SeedRow[] {
  const table = seedTable(root, stageName, rlSeedSources(stage));
  const first = seedOf(table, 'actor_rollout_ref.rollout.seed');
  const own = Array.from({ length: engines }, (_, k): SeedRow => {
    const which = engines === 1 ? 'the engine' : `engine ${k} of ${engines}`;
    return {
      source: engineSource(k),
      value: first + k,
      drives: `tokens sampled by ${which}, as it logs it itself`,
      effect: 'effective',
    };
  });
  return [...table, ...own];
}

/** As the agent names them: what engines log has no number, so their seeds are told in ascending order. */
function engineSource(k: number): string {
  return k === 0 ? 'vllm.engine.seed' : `vllm.engine.seed[${k}]`;
}

/** Sources that are options of verl, to be set by overrides. */
export function rlSeedOptions(stage: Pick<RlStage, 'engine' | 'reward'>): string[] {
  return rlSeedSources(stage)
    .filter(({ source, effect }) => effect !== 'unseeded' && source !== 'PYTHONHASHSEED')
    .map(({ source }) => source);
}

export const rlReproducibility = {
  level: 'seeded',
  why: "verl's trainer takes rollouts in the order in which they finish, so equal seeds give the same prompts and not the same bits",
} as const;
