import { stripVTControlCharacters } from 'node:util';

/** Why it failed, in the tool's words. Docker ends with where to read about its options, Apptainer with a colour. */
export function toolsLastWord(stderr: string): string {
  const lines = stripVTControlCharacters(stderr).split('\n');
  const telling = lines.filter((line) => line.trim() !== '' && !/^(See|Run) 'docker /.test(line));
  return telling.at(-1)?.trim() ?? '';
}
