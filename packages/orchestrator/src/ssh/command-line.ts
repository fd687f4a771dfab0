/** A word of a POSIX shell that stands for exactly these characters; the shells of csh's family take it too. */
export function quoteWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/**
 * One line for the shell of the far side, which has no other way to be given words. A word `~` or `~/…` is below the
 * home folder there; everything else is what it is, to the last character.
 */
export function commandLine(argv: readonly string[]): string {
  if (argv.length === 0) throw new RangeError('a command has at least one word');
  const nul = argv.find((word) => word.includes('\0'));
  if (nul !== undefined) throw new RangeError('a word of a command cannot hold a NUL');
  return argv.map(farWord).join(' ');
}

function farWord(word: string): string {
  if (word === '~') return '"$HOME"';
  return word.startsWith('~/') ? `"$HOME"/${word === '~/' ? '' : quoteWord(word.slice(2))}` : quoteWord(word);
}
