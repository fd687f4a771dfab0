/** `launch.sh`: runs the job by hand, in its folder, without `her`. Inputs are expected under `inputs/`. */
export function launchScript(argv: readonly string[], env: Record<string, string>, lastArgs?: string): string {
  const exports = Object.entries(env).map(([name, value]) => `export ${name}=${quote(value)}`);
  const command = [...argv.map(quote), ...(lastArgs === undefined ? [] : [lastArgs]), '"$@"'].join(' ');
  return ['#!/usr/bin/env bash', 'set -euo pipefail', 'cd "$(dirname "$0")"', 'mkdir -p out', ...exports, `exec ${command}`, ''].join('\n');
}

/** A word of POSIX shell that means exactly `word`. */
function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
