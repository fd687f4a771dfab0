import type { LoadedStudy } from '../load/load.ts';
import type { DescribedInput } from './description.ts';
import { cell, code, inline } from './inline.ts';
import type { ReadmeContext } from './readme-context.ts';

/** The trainers' environments. */
export function environmentsPart({ described, environments, uv }: ReadmeContext): string {
  const rows = environments.map(({ name, locked, more }) => {
    const own = described.jobs.filter((job) => job.environment === name);
    const trainers = [...new Set(own.map(({ trainer }) => trainer))].join(', ');
    return [`- **${trainers}** (\`${name}\`). ${howTo(name, locked)}`, ...moreLine(more)].join('\n');
  });
  const locked = environments.some((environment) => environment.locked);
  return `## Environments

${rows.join('\n')}

${
  locked
    ? `\`./setup.sh\` sets up what is locked, by uv (\`python3 -m pip install uv==${uv}\`) and Python 3.11, on Linux x86-64.\n`
    : ''
}\`run.sh\` takes \`infra/envs/NAME/.venv\` where it is there, else what is on PATH;
${environments
  .map(({ name }) => `\`HER_${name.toUpperCase()}_ENV=/path\``)
  .join(' and ')} name another one. It refuses other versions of a trainer
than the study's, unless \`HER_ANY_VERSION=1\` is set.`;
}

function howTo(name: string, locked: boolean): string {
  const lock = `Locked in \`infra/envs/${name}/uv.lock\`.`;
  if (locked) return lock;
  return 'Not locked here: our lock of it has vLLM for CPUs. Install that version of verl with a vLLM for your GPUs, as its own documentation says.';
}

function moreLine(more: string[]): string[] {
  if (more.length === 0) return [];
  const names = more.map((name) => `\`${name}\``).join(', ');
  return [
    `  The settings of this study also need ${names}, in versions for your GPUs; the lock does not hold them.`,
  ];
}

/** What comes from outside, the variable that says where it is, and whether a hash pins it. */
export function inputsPart({ loaded, described, variables, carried }: ReadmeContext): string {
  const outside = new Map<string, DescribedInput>();
  for (const input of described.jobs.flatMap(({ inputs }) => inputs))
    if (input.from.kind !== 'output') outside.set(JSON.stringify(input.from), input);
  if (outside.size === 0)
    return '## Inputs\n\nNone from outside: what a job reads, another job of the kit has written.';
  const rows = [...outside.values()].map((input) => {
    const { from } = input;
    const variable = variables(input);
    if (from.kind === 'hub')
      return `| ${cell(code(from.id))} of the hub, fetched by the trainer |  | ${originOf(loaded, from.id)} | no |`;
    if (from.kind !== 'path') return '';
    const copy = carried.has(from.path) ? ', copied into the kit' : '';
    return `| ${cell(code(from.path))}${copy} | \`${variable}\` | ${originOf(loaded, from.path)} | ${from.digest === null ? 'no' : `\`${from.digest}\``} |`;
  });
  const open = rows.filter((row) => row.endsWith('| no |')).length;
  return `## Inputs

| what | set this if it lies elsewhere | why this one | pinned by a hash |
| ---- | ----------------------------- | ------------ | ---------------- |
${rows.join('\n')}

${
  open === 0
    ? 'All are pinned: `inputs.sh` hashes them before each run and refuses others (`HER_SKIP_HASH=1` leaves that out).'
    : `${open} of ${rows.length} are not pinned by a hash: nothing here can tell whether yours are the ones that were meant.`
}
Relative paths start in this folder; \`HER_STUDY_DIR=/path\` names another one. What another job of the kit writes is found
by itself, and \`HER_OUTPUT_…\` (the name is in \`inputs.sh\`) takes another checkpoint instead.`;
}

/** What the study says of the choice of a model or a data file. */
function originOf({ study, arms }: LoadedStudy, where: string): string {
  for (const kind of ['models', 'data'] as const)
    for (const [name, { path, hub }] of Object.entries(study[kind])) {
      if (path !== where && hub !== where) continue;
      const told = arms[0]?.told([kind, name, hub === where ? 'hub' : 'path']);
      const deviates = told?.deviatesFromPaper ? ['**deviates from the paper**'] : [];
      const said = [told?.origin ?? '', ...deviates, told?.evidence ?? ''].filter((word) => word !== '');
      return cell(inline(said.join('; ')));
    }
  return '';
}
