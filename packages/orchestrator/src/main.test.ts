import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const main = join(import.meta.dirname, 'main.ts');
const study = join(import.meta.dirname, '..', '..', '..', 'studies', 'tiny.yaml');

/** A command line of bash with `her` in it. */
function bash(line: string) {
  const her = `her() { "${process.execPath}" "${main}" "$@"; }; set -o pipefail; ${line}`;
  const { status, stdout, stderr } = spawnSync('bash', ['-c', her], { encoding: 'utf8' });
  return { status, stdout, stderr };
}

test.each([`plan ${study}`, `plan ${study} --json`, 'schema', `diff ${study} ${study}`])(
  'her %s, to a full disk: one error and the code of its kind',
  (words) => {
    expect(bash(`her ${words} > /dev/full`)).toEqual({
      status: 5,
      stdout: '',
      stderr:
        'her: standard output cannot be written: no space is left [DISK_FULL]\nFree disk space, then run the same command again.\n',
    });
  },
);

test('a reader that has seen enough is no failure, and nobody who reads errors is none either', () => {
  expect(bash('her schema | head -c 1')).toEqual({ status: 0, stdout: '{', stderr: '' });
  expect(bash(`her plan ${study} | head -1`)).toEqual({ status: 0, stdout: 'study tiny\n', stderr: '' });
  expect(bash('her plan nowhere.yaml 2> /dev/full').status).toBe(2);
});
