import { quote } from '../stages/launch-script.ts';
import type { JobDescription } from './description.ts';
import { inline } from './inline.ts';

/** `env`: what the job's processes are given; `launch.sh` sets it itself. */
export function envFile({ env }: JobDescription): string {
  return Object.entries(env)
    .map(([name, value]) => `${name}=${quote(value)}\n`)
    .join('');
}

/** `seeds.tsv`: every random source of the job. One that the trainer cannot seed has no value. */
export function seedsTable({ seeds }: JobDescription): string {
  return tsv(
    ['source', 'value', 'effect', 'drives'],
    seeds.map(({ source, value, effect, drives }) => [
      source,
      value === null ? '' : String(value),
      effect,
      drives,
    ]),
  );
}

/** `settings.tsv`: every setting, its value as JSON, and where it came from. */
export function settingsTable({ settings }: JobDescription): string {
  return tsv(
    ['setting', 'value', 'origin', 'evidence'],
    Object.entries(settings).map(([name, { value, origin, evidence, deviatesFromPaper }]) => [
      name,
      JSON.stringify(value),
      origin,
      [...(deviatesFromPaper ? ['deviates from the paper'] : []), evidence ?? ''].filter(Boolean).join('; '),
    ]),
  );
}

function tsv(head: string[], rows: string[][]): string {
  return [head, ...rows].map((cells) => `${cells.map((cell) => inline(cell).trim()).join('\t')}\n`).join('');
}
