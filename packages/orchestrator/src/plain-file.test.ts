import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importScripts } from './commands/import.ts';
import { mostBytes, readPlainFile } from './plain-file.ts';
import { openStudyFile } from './study-file.ts';
import { studyTextOf } from './study-text.ts';

const folder = mkdtempSync(join(tmpdir(), 'her-plain-'));
const at = (name: string): string => join(folder, name);
mkdirSync(at('folder.yaml'));
execFileSync('mkfifo', [at('pipe.yaml')]);
writeFileSync(at('large.yaml'), '');
truncateSync(at('large.yaml'), mostBytes + 1);
symlinkSync('/dev/zero', at('device.yaml'));
const refused = [
  ['folder.yaml', 'it is a folder'],
  ['pipe.yaml', 'a pipe or a device'],
  ['device.yaml', 'a pipe or a device'],
  ['large.yaml', 'more than 16 MB'],
] as const;

test.each(refused)(
  '%s is refused at once: as a study, a script, and a config that a script names',
  async (name, why) => {
    const error = { code: 'INPUT_UNREADABLE', exitCode: 2, message: expect.stringContaining(why) };
    const options = { name: 'imported', set: {}, json: true };
    await expect(openStudyFile(at(name), '/')).rejects.toMatchObject(error);
    await expect(importScripts([at(name)], options)).rejects.toMatchObject(error);
    // A link that leads out of the folder is not followed for a script.
    if (name === 'device.yaml') return;
    writeFileSync(at('script.sh'), `swift sft ${name}\n`);
    await expect(importScripts([at('script.sh')], options)).rejects.toMatchObject(error);
  },
);

test('a plain file is read whole, also through a link', async () => {
  writeFileSync(at('plain'), 'x'.repeat(200_000));
  symlinkSync('plain', at('link'));
  expect((await readPlainFile(at('link'))).toString()).toBe('x'.repeat(200_000));
  await expect(readPlainFile(at('link'), 199_999)).rejects.toThrow('more than');
});

test('a study that is no UTF-8 has one mistake, at its first wrong byte; a mark and CRLF are none', () => {
  const told = (bytes: Buffer): string => {
    try {
      return studyTextOf(bytes, 's.yaml');
    } catch (error) {
      return String((error as Error).message);
    }
  };
  const latin = Buffer.from('her: 1\nabout: "é café"\nname: caf\xe9\n', 'latin1');
  expect(told(latin)).toBe('s.yaml:2:9  the byte 0xE9 is no UTF-8. Save the file as UTF-8. [STUDY_YAML]');
  expect(told(Buffer.from('a: ü\r\nb: \xff'.replace('ü', 'Ã¼'), 'latin1'))).toContain(
    's.yaml:2:4  the byte 0xFF',
  );
  expect(told(Buffer.from('\ufeffher: 1\r\nü: �\r\n'))).toBe('\ufeffher: 1\r\nü: �\r\n');
});
