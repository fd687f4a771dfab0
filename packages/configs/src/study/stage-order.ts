import type { StudyProblem } from '../errors.ts';
import { stageBehind, stageReferences } from './references.ts';
import type { Study } from './schema.ts';
import type { StudySource } from './source.ts';

/** The stages that each stage waits for. */
export function stageNeeds(study: Study): Map<string, string[]> {
  return new Map(
    Object.entries(study.stages).map(([name, stage]) => {
      const behind = stageReferences(name, stage).map((reference) =>
        stageBehind(study, reference.name, reference.to),
      );
      return [name, [...new Set(behind.filter((stageName) => stageName !== undefined))]];
    }),
  );
}

/** Stages in an order in which each comes after what it needs, or the cycles that forbid one. */
export function orderStages(study: Study): { order: string[]; cycles: string[][] } {
  const needs = stageNeeds(study);
  const order: string[] = [];
  const cycles: string[][] = [];
  const state = new Map<string, 'open' | 'done'>();
  const visit = (name: string, trail: string[]): void => {
    if (state.get(name) === 'done') return;
    if (state.get(name) === 'open') {
      cycles.push([...trail.slice(trail.indexOf(name)), name]);
      return;
    }
    state.set(name, 'open');
    for (const need of needs.get(name) ?? []) if (needs.has(need)) visit(need, [...trail, name]);
    state.set(name, 'done');
    order.push(name);
  };
  for (const name of needs.keys()) visit(name, []);
  return { order, cycles };
}

export function cycleProblems(study: Study, source: StudySource): StudyProblem[] {
  return orderStages(study).cycles.map((cycle) => ({
    code: 'STUDY_CYCLE',
    message: `stages wait for each other: ${cycle.join(' → ')}.`,
    hint: 'One of them must start from something that none of the others makes.',
    place: source.place(['stages', cycle[0] ?? ''], 'key'),
  }));
}
