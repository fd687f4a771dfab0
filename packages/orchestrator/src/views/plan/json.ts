import { costKey } from '@her/configs';
import type { ShownPlan } from './shown.ts';

/** The plan as data. Ids are left out where a file of this machine was not hashed, because a run's would be others. */
export function planJson({ plan, study, loaded, costs, open, file }: ShownPlan): unknown {
  const read = plan.jobs.some(({ inputs }) => inputs.some(({ from }) => from.kind === 'path'));
  const certain = study.target.kind !== 'local' || !read;
  return {
    study: plan.study,
    file,
    target: { name: plan.target, of: loaded.targets, ...study.target },
    trainers: study.trainers,
    seeds: study.seeds,
    arms: loaded.arms.map(({ arm, about }) => ({ arm, about })),
    primary: plan.primary,
    questions: open.map(([name, question]) => ({ name, ...question })),
    deviations: [...loaded.source.provenance].flatMap(([key, said]) =>
      said.deviatesFromPaper === true ? [{ key, ...said }] : [],
    ),
    jobs: plan.jobs.map((job) => ({
      ...(certain ? { id: job.id } : {}),
      name: job.name,
      stage: job.stage,
      arm: job.arm,
      kind: job.kind,
      seed: job.seed,
      needs: job.needs.map((id) => plan.jobs.find((other) => other.id === id)?.name ?? id),
      resources: job.resources,
      argv: job.argv,
      inputs: job.inputs,
      seeds: job.seeds,
      reproducibility: job.reproducibility,
      settings: job.settings,
      cost: costs.get(costKey(job)) ?? null,
    })),
  };
}
