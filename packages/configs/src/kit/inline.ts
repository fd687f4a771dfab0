/** Text of a study for a line of Markdown or of a table: on its line, and without what steers a terminal. */
export function inline(text: string): string {
  return text.replaceAll(/[\s\v\f\u0085\u2028\u2029]+/gu, ' ').replaceAll(/[\p{Cc}\p{Cf}]/gu, '\uFFFD');
}

/** The same over several lines. */
export function paragraph(text: string): string {
  return text.split(/\r?\n/).map(inline).join('\n').trim();
}

/** As code in a Markdown text; a backtick in it does not end it. */
export function code(text: string): string {
  const plain = inline(text);
  const longest = Math.max(0, ...[...plain.matchAll(/`+/g)].map(([ticks]) => ticks.length));
  const ticks = '`'.repeat(longest + 1);
  return longest === 0 ? `\`${plain}\`` : `${ticks} ${plain} ${ticks}`;
}

/** As a cell of a Markdown table. */
export function cell(text: string): string {
  return text.replaceAll('|', '\\|');
}
