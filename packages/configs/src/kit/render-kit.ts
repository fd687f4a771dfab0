import type { LoadedStudy } from '../load/load.ts';
import type { Job, Plan } from '../plan/job.ts';
import { checkInput } from './check-input.ts';
import { describeStudy, sha256 } from './describe.ts';
import type { JobDescription, KitDescription, StudyDescription } from './description.ts';
import { kitEnvironments, setupScript } from './environments.ts';
import { inputsScript } from './inputs-script.ts';
import { readme } from './readme.ts';
import { nodeScripts, runScript } from './run-script.ts';
import { envFile, seedsTable, settingsTable } from './tables.ts';
import { inputVariables, type Variables } from './variables.ts';

/** What the kit carries that a plan does not hold, as text. */
export type KitMaterials = {
  studyText: string;
  /** Source of our own node-side code, by its path in the kit. */
  workers: Record<string, string>;
  /** The files of each locked environment, by their path in the kit. */
  locks: Record<string, Record<string, string>>;
  /** The study's own reward functions, byte for byte, by their path in the study. */
  rewards: Record<string, Uint8Array>;
  /** Version of uv that reads the locks. */
  uv: string;
};

/** Files by their path in the kit. Those that end in `.sh` or `.py` at the top or in a job are programs. */
export type KitFiles = Record<string, string | Uint8Array>;

/** The launch kit of a study: the same plan and materials give the same bytes. */
export function renderKit(loaded: LoadedStudy, plan: Plan, materials: KitMaterials): KitFiles {
  const described = describeStudy(loaded, plan, materials.workers);
  const environments = kitEnvironments(plan, materials.locks);
  const variables = inputVariables(described, loaded.study);
  const { uv } = materials;
  const setup = setupScript(environments, uv);
  const files: KitFiles = {
    'README.md': readme({
      loaded,
      described,
      environments,
      variables,
      uv,
      carried: new Set(Object.keys(materials.rewards)),
    }),
    'study.yaml': materials.studyText,
    'check-input.py': checkInput,
    ...(setup === null ? {} : { 'setup.sh': setup }),
    ...Object.assign({}, ...environments.map(({ name, locked }) => (locked ? materials.locks[name] : {}))),
    ...materials.workers,
  };
  for (const [i, job] of plan.jobs.entries()) {
    const own = described.jobs[i];
    if (own === undefined) throw new TypeError(`${job.name} was not described`);
    const inFolder = jobFiles(job, own, { described, variables, rewards: materials.rewards });
    for (const [name, text] of Object.entries(inFolder)) files[`jobs/${own.folder}/${name}`] = text;
  }
  return { ...files, 'kit.json': kitJson(described, files) };
}

type JobContext = Pick<KitMaterials, 'rewards'> & { described: StudyDescription; variables: Variables };

function jobFiles(job: Job, own: JobDescription, { described, variables, rewards }: JobContext): KitFiles {
  const carried = new Map<string, string>();
  const functions: KitFiles = {};
  for (const { name, from } of job.inputs) {
    const text = from.kind === 'path' && name.startsWith('reward/') ? rewards[from.path] : undefined;
    if (from.kind !== 'path' || text === undefined) continue;
    functions[name] = text;
    carried.set(from.path, name);
  }
  return {
    ...job.files,
    ...functions,
    env: envFile(own),
    'inputs.sh': inputsScript({ job: own, jobs: described.jobs, variables, carried }),
    'run.sh': runScript(job, own),
    ...nodeScripts(job),
    'seeds.tsv': seedsTable(own),
    'settings.tsv': settingsTable(own),
  };
}

function kitJson(described: StudyDescription, files: KitFiles): string {
  const paths = Object.keys(files).sort();
  const kit: KitDescription = {
    kit: 1,
    ...described,
    files: Object.fromEntries(paths.map((path) => [path, sha256(files[path] ?? '')])),
  };
  return `${JSON.stringify(kit, null, 1)}\n`;
}
