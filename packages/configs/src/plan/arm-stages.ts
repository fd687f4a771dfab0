import type { StudyArm } from '../load/load.ts';
import { orderStages, stageNeeds } from '../study/stage-order.ts';
import { digestOf } from './digest.ts';

/** One stage as one arm runs it, and in which arm's jobs the stages that it needs are found. */
export type OwnedStage = {
  arm: StudyArm;
  stageName: string;
  /** The arm that owns each stage of this arm, by the stage's name. */
  owners: ReadonlyMap<string, string>;
};

/**
 * The stages that the arms run, each once: a stage that is the same in two arms, with all that it needs, is run by
 * the first of them, and the other arm uses its jobs.
 */
export function armStages(arms: readonly StudyArm[]): OwnedStage[] {
  const ownerOf = new Map<string, string>();
  return arms.flatMap((arm) => {
    const signatures = new Map<string, string>();
    const owners = new Map<string, string>();
    const own: OwnedStage[] = [];
    const run = stagesOf(arm);
    for (const stageName of orderStages(arm.study).order) {
      const needs = (stageNeeds(arm.study).get(stageName) ?? []).map((name) => signatures.get(name));
      const signature = digestOf({ stageName, stage: arm.study.stages[stageName], needs });
      signatures.set(stageName, signature);
      if (!run.has(stageName)) continue;
      const owner = ownerOf.get(signature);
      owners.set(stageName, owner ?? arm.arm);
      if (owner !== undefined) continue;
      ownerOf.set(signature, arm.arm);
      own.push({ arm, stageName, owners });
    }
    return own;
  });
}

/** The stages that an arm names, and all that they need. */
export function stagesOf({ stages, study }: Pick<StudyArm, 'stages' | 'study'>): Set<string> {
  const needs = stageNeeds(study);
  const run = new Set<string>();
  const add = (name: string): void => {
    if (run.has(name)) return;
    run.add(name);
    for (const need of needs.get(name) ?? []) add(need);
  };
  for (const name of stages ?? Object.keys(study.stages)) add(name);
  return run;
}
