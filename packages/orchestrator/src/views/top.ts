import type { LiveJob } from '../top/live-jobs.ts';
import type { GpuLoad } from '../top/read-gpus.ts';
import type { NodeLoad } from '../top/read-load.ts';
import type { NodeView } from '../top/watch-nodes.ts';
import { tableLines } from './table.ts';
import { duration, oneLine, short } from './words.ts';

export type TopScene = { study: string; target: string; kind: string; nodes: NodeView[]; jobs: LiveJob[] };

/** The nodes with what they are doing, then the jobs that run. */
export function topLines(scene: TopScene, { gpus }: { gpus: boolean }): string[] {
  const head = ['node', 'load', 'memory', 'disk free', 'GPUs', 'jobs'];
  const rows = scene.nodes.flatMap((node) => [nodeRow(node, scene), ...(gpus ? gpuRows(node) : [])]);
  return [...tableLines(head, rows), '', ...jobLines(scene)].map(oneLine);
}

function nodeRow({ name, load, unknown }: NodeView, { jobs, kind }: TopScene): string[] {
  const here = jobs
    .filter(({ nodes }) => kind !== 'slurm' && nodes.includes(name))
    .map(({ job }) => job.name);
  const names = here.length === 0 ? '–' : here.join(', ');
  if (unknown !== null)
    return [
      name,
      '?',
      '?',
      '?',
      '?',
      `${names}  unknown since ${unknown.since.toISOString()} (${unknown.why})`,
    ];
  if (load === null) return [name, '…', '…', '…', '…', names];
  const { memory } = load;
  return [
    name,
    load.load === null ? '?' : `${load.load.toFixed(2)} of ${load.cores ?? '?'}`,
    memory === null ? '?' : `${gib(memory.usedBytes)} of ${gib(memory.totalBytes)} GiB`,
    load.diskFreeBytes === null ? '?' : `${gib(load.diskFreeBytes)} GiB`,
    gpuWords(load),
    names,
  ];
}

function gpuWords({ gpus, gpuTool, gpuProblem }: NodeLoad): string {
  if (gpuTool === null) return 'none, CPU only';
  if (gpuProblem !== null) return `${gpuTool}: ${gpuProblem}`;
  const used = sum(gpus.map(({ usedBytes }) => usedBytes));
  const total = sum(gpus.map(({ totalBytes }) => totalBytes));
  const uses = gpus.flatMap(({ use }) => (use === null ? [] : [use]));
  const mean = uses.length === 0 ? null : uses.reduce((a, b) => a + b, 0) / uses.length;
  const hottest = Math.max(...gpus.map(({ celsius }) => celsius ?? Number.NEGATIVE_INFINITY));
  return [
    `${gpus.length} ×`,
    mean === null ? '? %' : `${Math.round(mean)} %`,
    used === null || total === null ? '' : `${gib(used)} of ${gib(total)} GiB`,
    Number.isFinite(hottest) ? `${hottest} °C` : '',
  ]
    .filter(Boolean)
    .join('  ');
}

function gpuRows({ load, unknown }: NodeView): string[][] {
  if (unknown !== null) return [];
  return (load?.gpus ?? []).map((gpu) => ['', '', '', '', gpuLine(gpu), '']);
}

function gpuLine({ index, name, use, usedBytes, totalBytes, celsius }: GpuLoad): string {
  const memory =
    usedBytes === null || totalBytes === null ? '' : `${gib(usedBytes)} of ${gib(totalBytes)} GiB`;
  return [`  ${index}`, `${use ?? '?'} %`, memory, celsius === null ? '' : `${celsius} °C`, name ?? '']
    .filter(Boolean)
    .join('  ');
}

function jobLines({ jobs, study }: TopScene): string[] {
  if (jobs.length === 0) return [`no job runs, by the record of ${study}`];
  const head = ['job', 'on', 'step', 'pace', 'left', ''];
  return tableLines(
    head,
    jobs.map(({ job, nodes, step, maxSteps, secondsPerStep, secondsLeft, unknownSince }) => [
      job.name,
      nodes.length > 4 ? `${nodes[0]} and ${nodes.length - 1} more` : nodes.join(', '),
      step === null ? 'starting' : `${step}${maxSteps === null ? '' : `/${maxSteps}`}`,
      secondsPerStep === null ? '' : paceWords(secondsPerStep),
      secondsLeft === null ? '' : duration(secondsLeft * 1000),
      unknownSince === null ? '' : `unknown since ${unknownSince}`,
    ]),
  );
}

function paceWords(secondsPerStep: number): string {
  return secondsPerStep >= 1 ? `${short(secondsPerStep)} s a step` : `${short(1 / secondsPerStep)} steps/s`;
}

function sum(values: readonly (number | null)[]): number | null {
  return values.reduce<number | null>((all, one) => (all === null || one === null ? null : all + one), 0);
}

function gib(bytes: number): string {
  const value = bytes / 2 ** 30;
  return value >= 100 ? String(Math.round(value)) : value.toFixed(1);
}
