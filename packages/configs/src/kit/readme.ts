import type { LoadedStudy } from '../load/load.ts';
import { openQuestions } from '../study/questions.ts';
import { code, inline, paragraph } from './inline.ts';
import type { ReadmeContext } from './readme-context.ts';
import { environmentsPart, inputsPart } from './readme-needs.ts';
import { runPart } from './readme-run.ts';

/** `README.md`: all that a person needs who has the kit and nothing else. */
export function readme(context: ReadmeContext): string {
  const { loaded, described } = context;
  const { about } = loaded.study;
  return `${[
    `# Launch kit of the study \`${described.study}\`${described.target === 'target' ? '' : ` on \`${described.target}\``}`,
    ...(about === undefined ? [] : [paragraph(about)]),
    `${described.jobs.length} jobs, as files of their trainers and scripts of bash. Everything here was written by
\`her render\` from \`study.yaml\`, and \`her\` is not needed to run it: Linux, bash, Python 3.11 and the trainers are.`,
    filesPart,
    questionsPart(loaded),
    environmentsPart(context),
    inputsPart(context),
    runPart(context),
  ]
    .filter((part) => part !== '')
    .join('\n\n')}\n`;
}

const filesPart = `## What is here

| file                  | what it is                                                                       |
| --------------------- | -------------------------------------------------------------------------------- |
| \`study.yaml\`          | the study, as it was written                                                     |
| \`kit.json\`            | jobs, their order, every setting, and the SHA-256 of every file, for programs    |
| \`jobs/JOB/run.sh\`     | runs a job: environment, inputs, \`launch.sh\`                                     |
| \`jobs/JOB/node-K.sh\`  | the same for node K of a job that has several                                    |
| \`jobs/JOB/launch.sh\`  | the trainer's command; beside it the trainer's own file                          |
| \`jobs/JOB/inputs.sh\`  | makes the links under \`inputs/\` that the trainer's file speaks of                |
| \`jobs/JOB/env\`        | the environment that \`launch.sh\` sets                                            |
| \`jobs/JOB/*.tsv\`      | every seed and every setting, and where each value came from                     |
| \`workers/python\`      | our stages, reward functions and verl's CPU platform                             |
| \`setup.sh\`, \`infra/\`  | the trainers' environments, locked (where this study can use our locks)          |`;

function questionsPart({ questions }: LoadedStudy): string {
  const open = openQuestions(questions);
  if (open.length === 0) return '';
  const lines = open.map(([name, { ask, facts, settles }]) => {
    const where = settles.length === 0 ? '' : ` Settled by: ${settles.map(code).join(', ')}.`;
    return [`- **${name}**: ${inline(ask)}${where}`, ...facts.map((fact) => `  - ${inline(fact)}`)].join(
      '\n',
    );
  });
  return `## Open questions

Nobody has answered these yet. The files hold what the study says for now; \`her run\` would refuse to start.

${lines.join('\n')}`;
}
