import { Argument, type Command } from 'commander';
import { examples } from './examples.ts';

/** `her init`. */
export function addInit(her: Command, done: (code: number) => void): void {
  her
    .command('init')
    .description('write a study to start from: your own (blank), the tiny one, or the HER study')
    .addArgument(new Argument('[template]', 'which').choices(['blank', 'tiny', 'her']).default('blank'))
    .argument('[path]', 'a folder, or a file that ends in .yaml', '.')
    .option('--force', 'write over what is there', false)
    .option('--json', 'what was written, as JSON', false)
    .addHelpText(
      'after',
      `${examples('her init', 'her init blank mine.yaml', 'her init tiny', 'her init her studies')}
The schema of the study file is written beside it, so that an editor completes keys and options.
`,
    )
    .action(async (template, path, options) =>
      done(await (await import('../commands/init.ts')).init(template, path, options)),
    );
}
