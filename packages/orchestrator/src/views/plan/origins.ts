import type { Job, Setting } from '@her/configs';
import { sections } from '../sections.ts';
import { tableLines } from '../table.ts';
import { groups } from './groups.ts';
import type { ShownPlan } from './shown.ts';

/** Every setting of every stage with its origin and evidence. */
export function originsText(shown: ShownPlan): string {
  const parts = groups(shown.plan.jobs).map(([job]) => {
    const name = `${job.stage}${job.arm === 'main' ? '' : `/${job.arm}`}`;
    const rows = Object.entries(job.settings).map(([setting, found]) => [
      setting,
      valueText(job, setting, found),
      originText(found),
      found.evidence ?? (found.key === undefined ? '' : `\`${found.key}\` of the study`),
    ]);
    const all = [...rows, ...environmentRows(shown, job)];
    return rows.length === 0 ? [] : [name, ...tableLines(['setting', 'value', 'origin', 'evidence'], all)];
  });
  return sections([...parts, originCounts(shown), legend]);
}

/** The variables of the trainer's environment; those that the study names are its own. */
function environmentRows({ loaded }: ShownPlan, job: Job): string[][] {
  const stage = loaded.arms.find(({ arm }) => arm === job.arm)?.study.stages[job.stage];
  const named = stage !== undefined && 'env' in stage ? stage.env : {};
  return Object.entries(job.env).map(([name, value]) => {
    const seed = job.seeds.some(({ source }) => source === name);
    const own = Object.hasOwn(named, name);
    return [
      `$${name}`,
      seed ? 'by root seed' : value,
      own ? 'user' : 'her',
      own ? '`env` of the study' : 'environment',
    ];
  });
}

const legend = [
  "paper, repo, card, secondary: as published there · framework-default: unpublished, a trainer's own value or recipe",
  "user: the study's own · her: this program's choice, with the reason · deviates: the paper says otherwise",
];

/** A seed depends on the root seed; the table of seeds has them all. */
function valueText(job: Job, setting: string, { value }: Setting): string {
  if (job.seeds.some(({ source }) => source === setting)) return 'by root seed';
  const text = JSON.stringify(value);
  return text.length <= 60 ? text : `${text.slice(0, 57)}…`;
}

function originText({ origin, deviatesFromPaper }: Setting): string {
  return deviatesFromPaper === true ? `${origin}, deviates` : origin;
}

/** How many settings came from where, over all stages and arms. */
export function originCounts({ plan, loaded }: ShownPlan): string[] {
  const counts = new Map<string, number>();
  const add = (origin: string): void => {
    counts.set(origin, (counts.get(origin) ?? 0) + 1);
  };
  for (const [job] of groups(plan.jobs)) for (const { origin } of Object.values(job.settings)) add(origin);
  if (counts.size === 0) return [];
  const text = [...counts].sort(([, a], [, b]) => b - a).map(([origin, many]) => `${many} ${origin}`);
  const deviating = [...loaded.source.provenance].filter(([, { deviatesFromPaper }]) => deviatesFromPaper);
  return [
    `settings by origin: ${text.join(' · ')}`,
    ...deviating.map(
      ([key, { evidence }]) =>
        `deviates from the paper: ${key}${evidence === undefined ? '' : ` (${evidence})`}`,
    ),
  ];
}
