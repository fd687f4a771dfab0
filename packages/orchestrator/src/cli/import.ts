import { type Command, InvalidArgumentError, Option } from 'commander';
import { importWordsHelp } from '../views/import-words.ts';
import { examples } from './examples.ts';

/** `her import`. */
export function addImport(her: Command, done: (code: number) => void): void {
  her
    .command('import')
    .description(
      'turn launch scripts or config files of ms-swift and verl into a study; runs nothing of them',
    )
    .argument('<script...>', 'shell scripts, or YAML, JSON and .overrides files of a trainer')
    .option('-o, --out <file>', 'write the study there (default: standard output); never overwrites')
    .option('--name <name>', 'the name of the study', 'imported')
    .option(
      '--set <name=value...>',
      'what a script takes from its environment, or an argument: 1=value',
      collect,
      {},
    )
    .addOption(
      new Option('--command <command>', 'what a config file is for, whatever its keys say').choices([
        'sft',
        'rlhf',
        'megatron-sft',
        'megatron-rlhf',
        'verl',
      ]),
    )
    .option('--json', 'the study and what was left out, as JSON on standard output', false)
    .addHelpText(
      'after',
      `${examples(
        'her import run_sft.sh > study.yaml',
        'her import run_grpo.sh --set MODEL_PATH=/models/Qwen3-8B --out grpo.yaml',
        'her import train.yaml --command rlhf',
      )}
What could not be carried over is listed by line, on standard error unless the study goes to a file:
${importWordsHelp()}

Exit codes: 0 imported, 2 a script cannot be read or launches nothing that a study can say.`,
    )
    .action(async (scripts, options) =>
      done(await (await import('../commands/import.ts')).importScripts(scripts, options)),
    );
}

function collect(written: string, before: Record<string, string>): Record<string, string> {
  const at = written.indexOf('=');
  if (at < 1) throw new InvalidArgumentError(`NAME=VALUE is expected, not ${JSON.stringify(written)}.`);
  return { ...before, [written.slice(0, at)]: written.slice(at + 1) };
}
