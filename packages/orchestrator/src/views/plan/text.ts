import { costKey, type Job, type JobCost } from '@her/configs';
import { sections } from '../sections.ts';
import { tableLines } from '../table.ts';
import { groups } from './groups.ts';
import { memoryLines } from './memory.ts';
import { originCounts } from './origins.ts';
import { seedsLines } from './seeds.ts';
import type { ShownPlan } from './shown.ts';
import { between, count, disk, flops, hours } from './units.ts';

/** The whole plan for a terminal. */
export function planText(shown: ShownPlan): string {
  return sections([
    headLines(shown),
    questionsLines(shown),
    shown.plan.jobs.length === 0
      ? ['no jobs: the study has no stages']
      : ['jobs, in the order of their needs', ...jobsLines(shown)],
    costsLines(shown),
    memoryLines(shown),
    shown.plan.jobs.length === 0 ? [] : ['seeds, derived from the root seeds', ...seedsLines(shown)],
    originCounts(shown),
    unpinnedLines(shown),
    nextLines(shown),
  ]);
}

function headLines({ plan, study, loaded, file }: ShownPlan): string[] {
  const { target } = study;
  const nodes = Math.max(0, ...plan.jobs.map(({ resources }) => resources.nodes));
  const gpus =
    target.gpus === undefined
      ? 'no GPU'
      : `${target.gpus.per_node} × ${target.gpus.kind ?? `${target.gpus.memory_gb} GB`} each`;
  const others = loaded.targets.filter((name) => name !== plan.target);
  const trainers = Object.entries(study.trainers).map(([name, version]) => `${name} ${version}`);
  return [
    `study ${plan.study}${study.about === undefined ? '' : `: ${study.about}`}`,
    `  file      ${file}`,
    `  target    ${loaded.targets.length > 1 ? `${plan.target}: ` : ''}${target.kind}, ${nodes === 0 ? '' : `${nodes} node${nodes === 1 ? '' : 's'}, `}${gpus}${others.length === 0 ? '' : ` (also: ${others.join(', ')})`}`,
    `  trainers  ${trainers.join(', ')}`,
    `  seeds     ${study.seeds.join(', ')}`,
    ...(loaded.arms.length < 2
      ? []
      : loaded.arms.map(
          ({ arm, about }, i) =>
            `  ${i === 0 ? 'arms    ' : '        '}  ${arm}${about === null ? '' : `: ${about}`}`,
        )),
    ...(plan.primary === null ? [] : [`  measures  ${plan.primary}`]),
  ];
}

function questionsLines({ open }: ShownPlan): string[] {
  if (open.length === 0) return [];
  const lines = open.flatMap(([name, { ask, facts, settles }]) => [
    `  ${name}: ${ask}`,
    ...facts.map((fact) => `    · ${fact}`),
    ...(settles.length === 0 ? [] : [`    answered in: ${settles.join(', ')}`]),
  ]);
  return ['questions that only you can answer (`her run` waits for each `answer`)', ...lines];
}

/** Jobs that differ in their seed only share a row. */
function jobsLines({ plan, costs }: ShownPlan): string[] {
  const names = new Map(
    plan.jobs.map(({ id, arm, stage }) => [id, `${stage}${arm === 'main' ? '' : `/${arm}`}`]),
  );
  const rows = groups(plan.jobs).map(([first, ...others]) => {
    const cost = costs.get(costKey(first));
    const needs = [...new Set(first.needs.map((id) => names.get(id) ?? id))];
    return [
      names.get(first.id) ?? first.name,
      first.kind,
      String(1 + others.length),
      placeText(first),
      cost?.steps.known ? between(cost.steps.value, String) : (first.steps?.toString() ?? '–'),
      memoryCell(cost),
      cost?.compute.known ? between(cost.compute.value.hours, hours) : '–',
      needs.join(', ') || '–',
    ];
  });
  return tableLines(['stage', 'kind', 'jobs', 'nodes', 'steps', 'memory', 'time each', 'after'], rows);
}

function placeText({ resources }: Job): string {
  const { nodes, gpus, cores } = resources;
  if (gpus > 0) return `${nodes} × ${gpus} GPUs`;
  const each = `${cores} core${cores === 1 ? '' : 's'}`;
  return nodes === 1 ? each : `${nodes} × ${each}`;
}

function memoryCell(cost: JobCost | undefined): string {
  if (cost === undefined || !cost.memory.known) return '–';
  const { verdict, needs } = cost.memory.value.judgement;
  const [worst] = [...needs].sort((a, b) => (b.ratio ?? 0) - (a.ratio ?? 0));
  const share = worst?.ratio === undefined ? '' : ` ${Math.round(worst.ratio * 100)} %`;
  return `${verdict.replaceAll('-', ' ')}${share}`;
}

/** Tokens, FLOPs, time and disk, a row a stage and the sum of all jobs. */
function costsLines({ plan, costs }: ShownPlan): string[] {
  const rows: string[][] = [];
  const sum = { flops: 0, low: 0, high: 0, disk: 0 };
  for (const [first, ...others] of groups(plan.jobs)) {
    const cost = costs.get(costKey(first));
    if (cost === undefined) continue;
    const jobs = 1 + others.length;
    const { compute, disk: space } = cost;
    if (compute.known) {
      sum.flops += jobs * compute.value.flops;
      sum.low += jobs * compute.value.gpuHours.low;
      sum.high += jobs * compute.value.gpuHours.high;
    }
    if (space.known) sum.disk += jobs * space.value.peak;
    rows.push([
      `${first.stage}${first.arm === 'main' ? '' : `/${first.arm}`}`,
      compute.known ? count(compute.value.tokens) : '–',
      compute.known ? flops(compute.value.flops) : '–',
      compute.known ? between(compute.value.gpuHours, count) : '–',
      space.known ? disk(space.value.checkpoint.total) : '–',
      space.known ? `${space.value.keep ?? 'all'} of ${between(space.value.saves, String)}` : '–',
      space.known ? disk(space.value.peak) : '–',
    ]);
  }
  if (rows.length === 0) return [];
  const all = ['all jobs', '', flops(sum.flops), between(sum, count), '', '', disk(sum.disk)];
  const head = ['each job of', 'tokens', 'FLOPs', 'GPU-hours', 'checkpoint', 'kept', 'disk at most'];
  return [
    'cost, predicted',
    ...tableLines(head, [...rows, all]),
    ...assumptionLines(costs),
    ...unknownLines(costs),
  ];
}

function assumptionLines(costs: ShownPlan['costs']): string[] {
  const found = [...costs.values()].flatMap(({ compute }) =>
    compute.known ? compute.value.assumptions : [],
  );
  return [
    ...new Set(
      found.map(
        ({ name, low, high, why }) =>
          `  assumed: ${name} ${low}–${high} (${why.replace(/^assumed[;:] /, '')})`,
      ),
    ),
  ];
}

function unknownLines(costs: ShownPlan['costs']): string[] {
  const lines = [...costs].flatMap(([key, cost]) =>
    Object.entries(cost).flatMap(([what, figure]) =>
      figure.known ? [] : [`  ${what} of ${key.replace(/^main\//, '')}: ${figure.why}`],
    ),
  );
  return [...new Set(lines)];
}

function unpinnedLines({ plan }: ShownPlan): string[] {
  const local = plan.jobs.flatMap(({ inputs }) =>
    inputs.flatMap(({ from }) => (from.kind === 'path' && from.digest === null ? [from.path] : [])),
  );
  const paths = [...new Set(local)];
  if (paths.length === 0) return [];
  return [
    'inputs without `sha256`, hashed where they are when a job starts',
    ...paths.map((path) => `  ${path}`),
  ];
}

function nextLines({ file, open, study, costs }: ShownPlan): string[] {
  const short = [...costs].filter(
    ([, { memory: need }]) => need.known && need.value.judgement.verdict === 'out-of-memory',
  );
  return [
    ...(short.length === 0
      ? []
      : [`next    out of memory: ${short.map(([key]) => key).join(', ')}; see \`helps\` above`]),
    ...(open.length === 0 ? [] : ['next    write an `answer` to each question above']),
    `next    her plan ${file} --origins   where each setting comes from`,
    ...(study.target.kind === 'local' ? [] : [`        her doctor ${file}   looks at every node`]),
    `        her run ${file}`,
  ];
}
