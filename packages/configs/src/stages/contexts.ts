import { nameBehind } from '../study/model-behind.ts';
import type { Told } from '../study/origins.ts';
import type { Study } from '../study/schema.ts';
import type { Stage } from '../study/stage-schemas.ts';
import { type Machine, machineOf } from '../study/target-schema.ts';
import type { StageContext } from './stage-context.ts';

/** The nodes that one job of a stage has; our own stages are one process on one node. */
export function jobMachine(machine: Machine, stage: Stage): Machine {
  if (stage.kind === 'prepare' || stage.kind === 'evaluate')
    return { ...machine, nodes: 1, gpusPerNode: 0, gpu: null };
  const most = machine.sharedStorage ? machine.nodes : 1;
  return { ...machine, nodes: Math.min(stage.nodes ?? most, most) };
}

/** What a renderer is given for one stage. */
export function stageContext<S extends Stage>(
  study: Study,
  told: Told,
  { stageName, stage, seed }: { stageName: string; stage: S; seed: number | null },
): StageContext<S> {
  const name =
    'model' in stage && typeof stage.model === 'string' ? nameBehind(study, stage.model) : undefined;
  const model = name === undefined ? undefined : study.models[name];
  return {
    study,
    stageName,
    stage,
    seed,
    machine: jobMachine(machineOf(study.target), stage),
    told,
    modelTraits: { type: model?.type ?? '', template: model?.template ?? '', name: name ?? '' },
  };
}
