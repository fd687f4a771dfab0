import { tableLines } from './table.ts';
import { oneLine } from './words.ts';

/** The narrowest that the last column gets, and the widest that another one does. */
const least = 32;
const most = 40;

/** A table whose cells go on on the next line where a line would be wider than `width`. */
export function wrappedTable(
  head: readonly string[],
  cells: readonly (readonly string[])[],
  width: number,
): string[] {
  const rows = cells.map((row) => row.map(oneLine));
  const widths = head.map((title, i) =>
    Math.min(most, Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0))),
  );
  const before = widths.slice(0, -1).reduce((sum, each) => sum + each + 2, 0);
  widths[widths.length - 1] = Math.max(least, width - before);
  const lines = rows.flatMap((row) => {
    const parts = row.map((cell, i) => wrapped(cell, widths[i] ?? least));
    const height = Math.max(...parts.map((part) => part.length));
    return Array.from({ length: height }, (_, at) => parts.map((part) => part[at] ?? ''));
  });
  return tableLines(head, lines);
}

/** A text in lines of at most so many characters, broken at blanks, or else within a name. */
function wrapped(text: string, width: number): string[] {
  const lines: string[] = [];
  let rest = text;
  while (rest.length > width) {
    const blank = rest.lastIndexOf(' ', width);
    const part = Math.max(...[...'._/,='].map((mark) => rest.lastIndexOf(mark, width - 1) + 1));
    const at = blank > width / 2 ? blank : part > width / 2 ? part : blank > 0 ? blank : width;
    lines.push(rest.slice(0, at));
    rest = rest.slice(at).trimStart();
  }
  return [...lines, rest];
}
