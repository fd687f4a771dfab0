import type { Command } from 'commander';
import { examples } from './examples.ts';

/** `her code`. */
export function addCode(her: Command, done: (code: number) => void): void {
  her
    .command('code')
    .description(
      "the study's own code as it goes to the nodes; with --ignored, each file that stays here and why",
    )
    .argument('<study>', 'the study file')
    .option('--ignored', 'name the files that are left out, and the rule of each', false)
    .option('--allow-dirty', 'as the files lie there, where they differ from the commit', false)
    .option('--json', 'as JSON', false)
    .addHelpText(
      'after',
      `${examples('her code mine.yaml', "her code mine.yaml --ignored --json | jq -r '.ignored[].path'")}
Rules of \`.herignore\` hold for committed files too. Exit codes: 0, 2 the study is wrong, or its code differs from its
commit.`,
    )
    .action(async (study, options) => done(await (await import('../commands/code.ts')).code(study, options)));
}
