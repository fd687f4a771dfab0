import { type Command, Option } from 'commander';
import { examples } from './examples.ts';

/** `her exec`. */
export function addExec(her: Command, done: (code: number) => void): void {
  her
    .command('exec')
    .description(
      'run a command on the nodes of a study; nothing of it is recorded, and no secret is given to it',
    )
    .argument('<study>', 'the study file, or the name of a recorded study')
    .argument('<command...>', 'the command and its words, after `--`')
    .addOption(new Option('--node <name>', 'on this node (default: the first)').conflicts('all'))
    .option('--all', 'on every node, side by side', false)
    .option('--attempt <job>', 'in the folder and with the variables of this job, or attempt by its id')
    .option('--shell', 'the words are one line for `sh`', false)
    .option('--target <name>', 'one of the targets of the study, instead of the one that it chooses')
    .option('--home <dir>', 'folder of records and environments (default: $HER_HOME, else .her)')
    .option('--json', 'every line, and each end, as a JSON line', false)
    .addHelpText(
      'after',
      `${examples(
        'her exec studies/her.yaml --all -- nvidia-smi -L',
        'her exec studies/her.yaml --node gpu-2 -- df -h /shared',
        'her exec her --attempt sft/11 -- python -m pip list',
        "her exec her --all --shell -- 'ls /dev/shm | wc -l'",
      )}
The command reads nothing, and ends when this one does. Exit code: the highest of the commands'; 255 where one could not
be run or its end is not known.`,
    )
    .action(async (study, words, options) =>
      done(await (await import('../commands/exec.ts')).exec(study, words, options)),
    );
}
