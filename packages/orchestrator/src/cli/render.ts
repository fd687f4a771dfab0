import type { Command } from 'commander';
import { examples } from './examples.ts';

/** `her render STUDY --out DIR`. */
export function addRender(her: Command, done: (code: number) => void): void {
  her
    .command('render')
    .description('write the launch kit: files and scripts by which the study runs without her')
    .argument('<study>', 'the study file')
    .requiredOption('--out <dir>', 'folder of the kit; a former kit there is replaced, what jobs wrote stays')
    .option('--target <name>', 'one of the targets of the study')
    .option('--json', 'what was written, as JSON', false)
    .addHelpText(
      'after',
      examples(
        'her render studies/tiny.yaml --out kit',
        'kit/jobs/prepare/run.sh',
        'her render studies/her.yaml --target nodes-8 --out kit-8',
      ),
    )
    .action(async (study, options) =>
      done(await (await import('../commands/render.ts')).render(study, options)),
    );
}
