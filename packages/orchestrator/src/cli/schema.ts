import type { Command } from 'commander';
import { examples } from './examples.ts';

/** `her schema`. */
export function addSchema(her: Command, done: (code: number) => void): void {
  her
    .command('schema')
    .description('the JSON Schema of the study file, for editors')
    .addHelpText(
      'after',
      `${examples('her schema > study.schema.json')}
An editor with the YAML language server reads it where the first line of a study is
# yaml-language-server: $schema=./study.schema.json
`,
    )
    .action(async () => done(await (await import('../commands/schema.ts')).schema()));
}
