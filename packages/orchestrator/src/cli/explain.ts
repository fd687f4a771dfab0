import type { Command } from 'commander';
import { examples } from './examples.ts';

/** `her explain OPTION`. */
export function addExplain(her: Command, done: (code: number) => void): void {
  her
    .command('explain')
    .description('what an option of a trainer is, or a word of the study file')
    .argument('<option>', 'its name, or the end of it: rollout.n')
    .option('--study <file>', 'a study file: also what each of its jobs has there, and where that is from')
    .option('--job <job>', 'of one job or stage only (with --study)')
    .option('--json', 'as JSON, with every choice', false)
    // `her explain --learning_rate`: pasted from a launch script.
    .allowUnknownOption()
    .addHelpText(
      'after',
      examples(
        'her explain learning_rate',
        'her explain rollout.n',
        'her explain batch.global',
        'her explain clip_ratio_high --study studies/her.yaml --job roleplay_rl',
      ),
    )
    .action(async (option, options) =>
      done(await (await import('../commands/explain.ts')).explainOption(option, options)),
    );
}
