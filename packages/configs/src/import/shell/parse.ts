import { forEachChild, type ParseError, parse, type Script, type SyntaxNode } from 'unbash';
import { ImportError } from '../problem.ts';
import { limits } from './budget.ts';

// unbash: a typed, synchronous parser of Bash in plain JavaScript without dependencies (ISC). mvdan/sh and
// tree-sitter come as WebAssembly, which has to be loaded first, and bash-parser knows neither arrays nor `[[`.

/** Finds the line and column of an offset, in a text that begins at a line of the file. */
export class Lines {
  readonly #starts: number[] = [0];
  readonly #first: number;
  readonly source: string;

  constructor(source: string, first = 1) {
    this.source = source;
    this.#first = first;
    for (let at = source.indexOf('\n'); at >= 0; at = source.indexOf('\n', at + 1)) this.#starts.push(at + 1);
  }

  at(offset: number): { line: number; column: number } {
    let low = 0;
    let high = this.#starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#starts[middle] ?? 0) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + this.#first, column: offset - (this.#starts[low] ?? 0) + 1 };
  }

  lineAt(offset: number): number {
    return this.at(offset).line;
  }
}

/** Windows line ends and a byte order mark would become part of the words. */
export const cleanSource = (source: string): string => source.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');

/** The script as a tree, or one typed problem with its line and column. */
export function parseShell(lines: Lines, file: string): Script {
  const { source } = lines;
  if (source.length > limits.source) {
    throw new ImportError({
      code: 'IMPORT_LIMIT',
      message: `the script has ${source.length} characters; at most ${limits.source} are read.`,
      hint: 'Cut the launch out of the script and import that.',
      place: { file, line: 1, column: 1 },
    });
  }
  const script = parse(source);
  const error = firstError(script);
  if (!error) return script;
  const { line, column } = lines.at(Math.min(error.pos, source.length));
  throw new ImportError({
    code: 'IMPORT_SYNTAX',
    message: `this is not Bash: ${error.message}.`,
    hint: hintFor(source, error.pos),
    place: { file, line, column },
  });
}

/** Substitutions are parsed when they are first looked at, so their mistakes are found only by walking. */
function firstError(script: Script): ParseError | undefined {
  const errors: ParseError[] = [];
  const open: { node: SyntaxNode; base: number | undefined }[] = [{ node: script, base: undefined }];
  for (let next = open.pop(); next; next = open.pop()) {
    const { node } = next;
    let { base } = next;
    if (node.type === 'Script') {
      // Positions within escaped backquotes count in a text of their own.
      if ('source' in node && node.source !== undefined) base ??= node.pos;
      for (const error of node.errors ?? [])
        errors.push(base === undefined ? error : { ...error, pos: base });
    }
    forEachChild(node, (child) => {
      open.push({ node: child, base });
    });
  }
  return errors.sort((a, b) => a.pos - b.pos)[0];
}

function hintFor(source: string, at: number): string {
  const line = source.slice(source.lastIndexOf('\n', at - 1) + 1).split('\n', 1)[0] ?? '';
  return /<[\w .-]+>/.test(line)
    ? 'Put a value where `<…>` stands: to the shell that is a redirection.'
    : '`bash -n FILE` must accept the script.';
}
