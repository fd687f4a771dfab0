import type { Command } from 'commander';
import { examples } from './examples.ts';

/** `her top`. */
export function addTop(her: Command, done: (code: number) => void): void {
  her
    .command('top')
    .description('what the nodes of a study are doing, and the jobs on them; live on a terminal')
    .argument('[study]', 'the study file, or the name of a recorded study (default: the only one)')
    .option('--once', 'show it once (where standard output is no terminal, always)', false)
    .option('--gpus', 'a line for each GPU', false)
    .option('--target <name>', 'one of the targets of the study, instead of the one that it chooses')
    .option('--home <dir>', 'folder of records and environments (default: $HER_HOME, else .her)')
    .option('--json', 'once, as JSON', false)
    .addHelpText(
      'after',
      `${examples('her top', 'her top studies/her.yaml --gpus', "her top her --json | jq '.nodes[] | select(.unknown)'")}
A node that cannot be reached is shown as unknown since then, and holds up no other. Steps are those of the record: they
stand still while no \`her run\` is attached.`,
    )
    .action(async (study, options) => done(await (await import('../commands/top.ts')).top(study, options)));
}
