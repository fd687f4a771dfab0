import type { Command } from 'commander';
import { examples } from './examples.ts';

/** `her plan`. */
export function addPlan(her: Command, done: (code: number) => void): void {
  her
    .command('plan')
    .description('what a study would run and cost: jobs, seeds, memory, disk, time; starts nothing')
    .argument('<study>', 'the study file')
    .option('--target <name>', 'one of the targets of the study, instead of the one that it chooses')
    .option('--origins', 'every setting of every job with where it came from', false)
    .option('--json', 'all of it as JSON', false)
    .addHelpText(
      'after',
      `${examples(
        'her plan studies/her.yaml',
        'her plan studies/her.yaml --target nodes-8',
        'her plan studies/her.yaml --origins',
        "her plan studies/her.yaml --json | jq '.jobs[].name'",
      )}
Figures are predictions; memory is said to fit, to be uncertain or to run out. Files that the study
names must be there where the target is this machine; they are not read, so ids of jobs that read them are not shown.`,
    )
    .action(async (study, options) => done(await (await import('../commands/plan.ts')).plan(study, options)));
}
