import { costKey, type Job, type JobCost } from '@her/configs';
import { table } from '../table.ts';
import { groups } from './groups.ts';
import { memoryText } from './memory.ts';
import { originCounts } from './origins.ts';
import { seedsText } from './seeds.ts';
import type { ShownPlan } from './shown.ts';
import { between, count, disk, flops, hours } from './units.ts';

/** The whole plan for a terminal. */
export function planText(shown: ShownPlan): string {
  return [
    headText(shown),
    questionsText(shown),
    `jobs, in the order of their needs\n${jobsText(shown)}`,
    costsText(shown),
    memoryText(shown),
    `seeds, derived from the root seeds\n${seedsText(shown)}`,
    originCounts(shown),
    unpinnedText(shown),
    nextText(shown),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function headText({ plan, study, loaded, file }: ShownPlan): string {
  const { target } = study;
  const nodes = Math.max(...plan.jobs.map(({ resources }) => resources.nodes));
  const gpus =
    target.gpus === undefined
      ? 'no GPU'
      : `${target.gpus.per_node} × ${target.gpus.kind ?? `${target.gpus.memory_gb} GB`} each`;
  const others = loaded.targets.filter((name) => name !== plan.target);
  const trainers = Object.entries(study.trainers).map(([name, version]) => `${name} ${version}`);
  const lines = [
    `study ${plan.study}${study.about === undefined ? '' : `: ${study.about}`}`,
    `  file      ${file}`,
    `  target    ${loaded.targets.length > 1 ? `${plan.target}: ` : ''}${target.kind}, ${nodes} node${nodes === 1 ? '' : 's'}, ${gpus}${others.length === 0 ? '' : ` (also: ${others.join(', ')})`}`,
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
  return lines.join('\n');
}

function questionsText({ open }: ShownPlan): string {
  if (open.length === 0) return '';
  const one = open.map(([name, { ask, facts, settles }]) =>
    [
      `  ${name}: ${ask}`,
      ...facts.map((fact) => `    · ${fact}`),
      ...(settles.length === 0 ? [] : [`    answered in: ${settles.join(', ')}`]),
    ].join('\n'),
  );
  return ['questions that only you can answer (`her run` waits for each `answer`)', ...one].join('\n');
}

/** Jobs that differ in their seed only share a row. */
function jobsText({ plan, costs }: ShownPlan): string {
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
  return table(['stage', 'kind', 'jobs', 'nodes', 'steps', 'memory', 'time each', 'after'], rows);
}

function placeText({ resources }: Job): string {
  return resources.gpus === 0
    ? `${resources.cores} core${resources.cores === 1 ? '' : 's'}`
    : `${resources.nodes} × ${resources.gpus} GPUs`;
}

function memoryCell(cost: JobCost | undefined): string {
  if (cost === undefined || !cost.memory.known) return '–';
  const { verdict, needs } = cost.memory.value.judgement;
  const [worst] = [...needs].sort((a, b) => (b.ratio ?? 0) - (a.ratio ?? 0));
  const share = worst?.ratio === undefined ? '' : ` ${Math.round(worst.ratio * 100)} %`;
  return `${verdict.replaceAll('-', ' ')}${share}`;
}

/** Tokens, FLOPs, time and disk, a row a stage and the sum of all jobs. */
function costsText({ plan, costs }: ShownPlan): string {
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
  if (rows.length === 0) return '';
  const all = ['all jobs', '', flops(sum.flops), between(sum, count), '', '', disk(sum.disk)];
  const head = ['each job of', 'tokens', 'FLOPs', 'GPU-hours', 'checkpoint', 'kept', 'disk at most'];
  return [
    `cost, predicted\n${table(head, [...rows, all])}`,
    ...assumptionLines(costs),
    ...unknownLines(costs),
  ].join('\n');
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

function unpinnedText({ plan }: ShownPlan): string {
  const local = plan.jobs.flatMap(({ inputs }) =>
    inputs.flatMap(({ from }) => (from.kind === 'path' && from.digest === null ? [from.path] : [])),
  );
  const paths = [...new Set(local)];
  if (paths.length === 0) return '';
  return `inputs without \`sha256\`, hashed where they are when a job starts\n${paths.map((path) => `  ${path}`).join('\n')}`;
}

function nextText({ file, open, study, costs }: ShownPlan): string {
  const short = [...costs].filter(
    ([, { memory: need }]) => need.known && need.value.judgement.verdict === 'out-of-memory',
  );
  const lines = [
    ...(short.length === 0
      ? []
      : [`next    out of memory: ${short.map(([key]) => key).join(', ')}; see \`helps\` above`]),
    ...(open.length === 0 ? [] : ['next    write an `answer` to each question above']),
    `next    her plan ${file} --origins   where each setting comes from`,
    study.target.kind === 'local' && study.target.device === 'cpu'
      ? `        her run ${file}`
      : `        her render ${file} --out DIR   the launch kit`,
  ];
  return lines.join('\n');
}
