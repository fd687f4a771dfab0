import { type Command, Option } from 'commander';
import { examples } from './examples.ts';

/** `her fetch`. */
export function addFetch(her: Command, done: (code: number) => void): void {
  her
    .command('fetch')
    .description(
      'bring a checkpoint here, from the store or from its node, held against the hashes in the record',
    )
    .argument('<checkpoint>', 'JOB@STEP, JOB@latest, ATTEMPT@STEP, or the start of its digest')
    .option('--out <dir>', 'a folder that is not there yet (default: named after job and step)')
    .addOption(
      new Option('--from <place>', 'only from there (default: the store, else the node)').choices([
        'store',
        'node',
      ]),
    )
    .option('--home <dir>', 'folder of records and environments (default: $HER_HOME, else .her)')
    .option('--study <name>', 'which recorded study, where there are several')
    .option('--json', 'the outcome as JSON', false)
    .addHelpText(
      'after',
      `${examples('her fetch sft/11@latest', 'her fetch rl/23@20 --out model', 'her fetch 9f2c41d0 --from node')}
Interrupted, it goes on where it was: the same command again. Exit codes: 0 it is there, 2 no such checkpoint or the
folder is taken, 3 it is gone or its bytes are others, 5 the store or this disk refused, 7 store or node out of reach.`,
    )
    .action(async (checkpoint, options) =>
      done(await (await import('../commands/fetch.ts')).fetchCheckpoint(checkpoint, options)),
    );
}
