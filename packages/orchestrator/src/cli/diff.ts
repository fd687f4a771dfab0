import type { Command } from 'commander';
import { examples } from './examples.ts';

/** `her diff A B`. */
export function addDiff(her: Command, done: (code: number) => void): void {
  her
    .command('diff')
    .description('what two studies, or two launch kits, do differently: by setting, not by line')
    .argument('<a>', 'a study file, or the folder of a kit')
    .argument('<b>', 'another one')
    .option('--json', 'as JSON', false)
    .addHelpText(
      'after',
      `${examples('her diff studies/tiny.yaml mine.yaml', 'her diff kit-sent studies/her.yaml', 'her diff kit-a kit-b --json')}
Exit codes: 0 they do the same, 9 they differ, 2 one of them is wrong. Origins and comments are no difference.`,
    )
    .action(async (a, b, options) => done(await (await import('../commands/diff.ts')).diff(a, b, options)));
}
