import { oneLine } from './words.ts';

/**
 * Parts of lines, with an empty line between them. What a study or a file says is in the lines, so each is kept on its
 * line here, and nothing in it reaches the terminal as a command.
 */
export function sections(parts: readonly (readonly string[])[]): string {
  return parts
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.map(oneLine).join('\n'))
    .join('\n\n');
}
