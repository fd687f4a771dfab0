import { InvalidStudyError } from '@her/configs';

/**
 * The text of a study file. A byte order mark stays; bytes that are no UTF-8 are a mistake of the study, because what
 * would stand in for them is not what was written.
 * @throws {InvalidStudyError}
 */
export function studyTextOf(bytes: Buffer, file: string): string {
  const text = bytes.toString('utf8');
  const again = Buffer.from(text, 'utf8');
  if (again.equals(bytes)) return text;
  let at = 0;
  while (at < bytes.length && bytes[at] === again[at]) at++;
  const before = bytes.subarray(0, at);
  const start = before.lastIndexOf(0x0a) + 1;
  const line = before.reduce((lines, byte) => lines + (byte === 0x0a ? 1 : 0), 1);
  const column = before.toString('utf8', start).length + 1;
  const byte = `0x${(bytes[at] ?? 0).toString(16).padStart(2, '0').toUpperCase()}`;
  throw new InvalidStudyError([
    {
      code: 'STUDY_YAML',
      message: `the byte ${byte} is no UTF-8.`,
      hint: 'Save the file as UTF-8.',
      place: { file, line, column, key: '' },
    },
  ]);
}
