import { type Command, InvalidArgumentError } from 'commander';
import { examples } from './examples.ts';

/** `her doctor`. */
export function addDoctor(her: Command, done: (code: number) => void): void {
  her
    .command('doctor')
    .description('look at every node of a study, side by side, before a GPU hour is spent; starts nothing')
    .argument('<study>', 'the study file')
    .option('--target <name>', 'one of the targets of the study, instead of the one that it chooses')
    .option('--deep', "one all_reduce over all nodes by the trainers' torch too (about a minute)", false)
    .option('--limit <seconds>', 'for what a node takes to answer', seconds, 60)
    .option('--home <dir>', 'folder of records and environments (default: $HER_HOME, else .her)')
    .option('--json', 'findings and facts as JSON', false)
    .addHelpText(
      'after',
      `${examples(
        'her doctor studies/tiny.yaml',
        'her doctor studies/her.yaml --target nodes-8 --deep',
        'her doctor studies/her.yaml --json | jq \'.findings[] | select(.status == "fail")\'',
      )}
Nothing is left on a node. Exit codes: 0 nothing speaks against a start (warnings are allowed), 2 the study is wrong,
5 something must be mended first, 7 something could not be found out.`,
    )
    .action(async (study, options) =>
      done(await (await import('../commands/doctor.ts')).doctor(study, options)),
    );
}

function seconds(text: string): number {
  const value = Number(text);
  if (!(value >= 1 && value <= 600)) throw new InvalidArgumentError('seconds from 1 to 600 are expected.');
  return value;
}
