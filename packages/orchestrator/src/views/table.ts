import { oneLine } from './words.ts';

/** Columns lined up by spaces; the last column is not padded. Cells may hold what a node or a file says. */
export function table(head: readonly string[], cells: readonly (readonly string[])[]): string {
  return tableLines(head, cells).join('\n');
}

/** The same, line by line. */
export function tableLines(head: readonly string[], cells: readonly (readonly string[])[]): string[] {
  const rows = cells.map((row) => row.map(oneLine));
  const widths = head.map((title, i) => Math.max(title.length, ...rows.map((row) => row[i]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i] ?? 0)))
      .join('  ')
      .trimEnd();
  return [line(head), line(widths.map((width) => '─'.repeat(width))), ...rows.map(line)];
}
