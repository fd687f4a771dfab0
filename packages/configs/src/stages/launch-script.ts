/** How `launch.sh` runs a job by hand, in its folder, without `her`. Inputs are expected under `inputs/`. */
export type Launch = {
  argv: readonly string[];
  env: Record<string, string>;
  /** A file with one more argument a line. */
  argsFile?: string;
};

export function launchScript({ argv, env, argsFile }: Launch): string {
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}`);
  const command = argv.map(quote).join(' ');
  const run =
    argsFile === undefined
      ? [`exec ${command} "$@"`]
      : [`mapfile -t args < ${quote(argsFile)}`, `exec ${command} "\${args[@]}" "$@"`];
  const head = ['#!/usr/bin/env bash', 'set -euo pipefail', 'cd "$(dirname "$0")"', 'mkdir -p out'];
  return [...head, ...exports, ...run, ''].join('\n');
}

/** A word of POSIX shell that means exactly `word`. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
