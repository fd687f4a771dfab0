import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** Where each trainer's options come from, and the folder they go to. A new version of a trainer is a new row. */
const sources = [
  { environment: 'swift', script: 'swift_options.py', folder: 'ms-swift-4.6.0' },
  { environment: 'verl', script: 'verl_options.py', folder: 'verl-0.9.1' },
] as const;

const target = join(import.meta.dirname, '..', 'src', 'options');

/** What a script finds: the options of each command, and what else there is to know of that version. */
type Found = { trainer: string; version: string; tables: Record<string, object> } & Record<string, unknown>;

export type GeneratedFile = { file: string; text: string };

/**
 * The text of each generated file, from the trainers as they are installed.
 * @param python the interpreter of each trainer's environment
 */
export function generateOptions(python: Record<'swift' | 'verl', string>): GeneratedFile[] {
  const scratch = mkdtempSync(join(tmpdir(), 'her-generate-'));
  try {
    return sources.flatMap(({ environment, script, folder }) => {
      const out = join(scratch, `${environment}.json`);
      execFileSync(python[environment], [join(import.meta.dirname, script), out], {
        stdio: ['ignore', 'ignore', 'pipe'],
      });
      const found: Found = JSON.parse(readFileSync(out, 'utf8'));
      if (folder !== `${found.trainer}-${found.version}`)
        throw new Error(`${folder} would be made from ${found.trainer} ${found.version}`);
      return filesOf(found).map(({ file, text }) => ({ file: join(target, folder, file), text }));
    });
  } finally {
    rmSync(scratch, { recursive: true });
  }
}

function filesOf({ trainer, version, tables, ...others }: Found): GeneratedFile[] {
  const commands = Object.entries(tables).map(([command, options]) => ({
    file: `${command}.gen.ts`,
    text: moduleOf({ trainer, version }, { trainer, version, command, options }),
  }));
  const rest = Object.entries(others).map(([name, value]) => ({
    file: `${name}.gen.ts`,
    text: moduleOf({ trainer, version }, value),
  }));
  return [...commands, ...rest];
}

/** A module that holds a value as JSON: read when it is asked for, and nothing that the compiler has to look through. */
function moduleOf({ trainer, version }: { trainer: string; version: string }, value: unknown): string {
  const json = lines(value, 2).replace(/[\\`]|\$\{/g, '\\$&');
  return `// Made by \`pnpm generate\` from ${trainer} ${version}; not to be edited.\nexport const json = \`${json}\`;\n`;
}

/** JSON with one entry a line down to a depth, so that a new version shows what it changed. */
function lines(value: unknown, depth: number): string {
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value))
    return JSON.stringify(value);
  const entries = Object.entries(value).map(
    ([key, item]) => `${JSON.stringify(key)}:${lines(item, depth - 1)}`,
  );
  return entries.length === 0 ? '{}' : `{\n${entries.join(',\n')}}`;
}

/** Every generated file that lies there now. */
export function generatedFiles(): string[] {
  return readdirSync(target, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.gen.ts'))
    .map((name) => join(target, name));
}

if (import.meta.main) {
  const { HER_SWIFT_PYTHON: swift, HER_VERL_PYTHON: verl } = process.env;
  if (swift === undefined || verl === undefined)
    throw new Error('run `pnpm generate`: it says where the trainers are');
  const files = generateOptions({ swift, verl });
  for (const stale of generatedFiles()) rmSync(stale);
  for (const { file, text } of files) {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    process.stdout.write(`${file}\n`);
  }
}
