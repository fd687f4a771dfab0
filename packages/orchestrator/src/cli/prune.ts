import { type Command, InvalidArgumentError } from 'commander';
import { examples } from './examples.ts';

/** `her prune`. */
export function addPrune(her: Command, done: (code: number) => void): void {
  her
    .command('prune')
    .description('which stored checkpoints stay and which may go; with --apply those are removed')
    .argument('[study]', 'a recorded study, where there are several')
    .option('--apply', 'remove what the plan lists, each recorded before', false)
    .option('--keep <n>', 'newest checkpoints of each job that stay (default: as the study says)', atLeastTwo)
    .option('--home <dir>', 'folder of records and environments (default: $HER_HOME, else .her)')
    .option('--json', 'as JSON', false)
    .addHelpText(
      'after',
      `${examples('her prune', 'her prune tiny --apply', "her prune --json | jq '.checkpoints[] | select(.stays | not)'")}
Of each job the two newest whole checkpoints always stay, and every one that a result or another attempt refers to.
Checkpoints on nodes are the trainer's own matter (\`keep\` of a stage).`,
    )
    .action(async (study, options) =>
      done(await (await import('../commands/prune.ts')).prune(study, options)),
    );
}

function atLeastTwo(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : 0;
  if (!(value >= 2)) throw new InvalidArgumentError('a whole number from 2 on is expected.');
  return value;
}
