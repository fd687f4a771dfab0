import type { OwnedStage } from '../load/arm-stages.ts';
import { dataLink } from '../stages/input-links.ts';
import { stageBehind, stageOutputs } from '../study/references.ts';
import type { DataEntry, ModelEntry, Study } from '../study/schema.ts';
import { namesOf, type Stage } from '../study/stage-schemas.ts';
import type { PlanHashes } from './hashes.ts';
import type { Job, JobInput } from './job.ts';

export type InputContext = {
  study: Study;
  stage: Stage;
  owned: OwnedStage;
  seed: number | null;
  jobs: readonly Job[];
  hashes: PlanHashes;
};

/** What a job reads, as links under `inputs/`. */
export function jobInputs(context: InputContext): JobInput[] {
  const { stage } = context;
  switch (stage.kind) {
    case 'prepare':
      return [];
    case 'sft':
    case 'rlhf':
      return [
        input(context, 'model', stage.model, 'model'),
        ...dataInputs(context, namesOf(stage.data), 'train'),
        ...dataInputs(context, namesOf(stage.validation), 'val'),
      ];
    case 'rl':
      return [
        input(context, 'model', stage.model, 'model'),
        ...dataInputs(context, namesOf(stage.prompts), 'train'),
        ...dataInputs(context, namesOf(stage.validation), 'val'),
        ...(stage.reward.model === undefined
          ? []
          : [input(context, 'reward-model', stage.reward.model, 'model')]),
        ...rewardFile(context, stage.reward.file),
      ];
    case 'evaluate':
      return [
        ...stage.models.map((model) => input(context, `models/${model}`, model, 'model')),
        input(context, 'heldout.jsonl', stage.data, 'data'),
      ];
  }
}

function dataInputs(context: InputContext, names: readonly string[], use: 'train' | 'val'): JobInput[] {
  return names.map((name) => input(context, dataLink(context.stage, names, name, use), name, 'data'));
}

/** The study's own reward function is part of what a job is. */
function rewardFile({ hashes }: InputContext, written: string | undefined): JobInput[] {
  if (written === undefined) return [];
  const path = written.slice(0, written.lastIndexOf(':'));
  return [
    {
      name: `reward/${path.split('/').at(-1)}`,
      from: { kind: 'path', path, digest: hashes.path(path), via: 'rsync' },
    },
  ];
}

function input(context: InputContext, name: string, wanted: string, to: 'model' | 'data'): JobInput {
  const { study, owned, jobs, seed, hashes } = context;
  const declared = declaredEntry(study, wanted, to);
  if (declared?.hub !== undefined) return { name, from: { kind: 'hub', id: declared.hub } };
  if (declared?.path !== undefined) {
    const digest = declared.sha256 ?? hashes.path(declared.path);
    const via = declared.via === undefined ? {} : { via: declared.via };
    return { name, from: { kind: 'path', path: declared.path, digest, ...via } };
  }
  const stageName = stageBehind(study, wanted, to);
  const arm = stageName === undefined ? undefined : owned.owners.get(stageName);
  const output = declared?.output?.split('.')[1] ?? stageOutputs.sft[0];
  const job = jobs.find(
    (candidate) =>
      candidate.stage === stageName &&
      candidate.arm === arm &&
      (candidate.seed === null || candidate.seed === seed),
  );
  if (job === undefined || output === undefined)
    throw new TypeError(`nothing makes ${wanted}; the study was not checked`);
  return { name, from: { kind: 'output', job: job.id, output } };
}

function declaredEntry(study: Study, name: string, to: 'model' | 'data'): ModelEntry | DataEntry | undefined {
  const entries: Record<string, ModelEntry | DataEntry> = to === 'model' ? study.models : study.data;
  return Object.hasOwn(entries, name) ? entries[name] : undefined;
}
