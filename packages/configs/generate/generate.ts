import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where each trainer's options come from, and where they go. A new version of a trainer is a new row. */
const sources = [
  { environment: 'swift', script: 'swift_options.py', file: 'ms-swift-4.6.0.gen.ts', name: 'msSwift460' },
  { environment: 'verl', script: 'verl_options.py', file: 'verl-0.9.1.gen.ts', name: 'verl091' },
] as const;

/**
 * The text of each generated file, from the trainers as they are installed.
 * @param python the interpreter of each trainer's environment
 */
export function generateOptions(python: Record<'swift' | 'verl', string>): { file: string; text: string }[] {
  const scratch = mkdtempSync(join(tmpdir(), 'her-generate-'));
  try {
    return sources.map(({ environment, script, file, name }) => {
      const out = join(scratch, `${environment}.json`);
      execFileSync(python[environment], [join(import.meta.dirname, script), out], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const found = JSON.parse(readFileSync(out, 'utf8'));
      const text = [
        `// Made by \`pnpm generate\` from ${found.trainer} ${found.version}; not to be edited.`,
        "import type { OptionTable } from './option.ts';",
        '',
        `export const ${name}: OptionTable = ${JSON.stringify(found, null, 1)};`,
        '',
      ].join('\n');
      return { file: join(import.meta.dirname, '..', 'src', 'options', file), text };
    });
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

if (import.meta.main) {
  const { HER_SWIFT_PYTHON: swift, HER_VERL_PYTHON: verl } = process.env;
  if (swift === undefined || verl === undefined)
    throw new Error('run `pnpm generate`: it says where the trainers are');
  for (const { file, text } of generateOptions({ swift, verl })) {
    writeFileSync(file, text);
    process.stdout.write(`${file}\n`);
  }
}
