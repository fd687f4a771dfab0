/** Why it failed, in the tool's words. Docker ends with where to read about its options. */
export function toolsLastWord(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '' && !/^(See|Run) 'docker /.test(line));
  return lines.at(-1)?.trim() ?? '';
}
