import { digestOf } from '../digest.ts';
import type { Study } from '../study/schema.ts';
import { orderStages, stageNeeds } from '../study/stage-order.ts';
import type { StudyArm } from './study-arm.ts';

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
      const signature = digestOf({ stageName, stage: whatTrains(arm.study, stageName), needs });
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

/** What of a stage decides what it makes: how long to wait for it, and what it takes of a node, do not. */
function whatTrains(study: Study, stageName: string): unknown {
  const { limits: _, needs, ...rest } = study.stages[stageName] ?? { limits: null, needs: null };
  // Without GPUs the cores decide how many threads share a sum.
  return study.target.gpus === undefined ? { ...rest, needs } : rest;
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
