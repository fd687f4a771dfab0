import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, parseDocument, Scalar } from 'yaml';
import { ImportError } from './problem.ts';
import type { ImportValue } from './trainer-command.ts';
import { type Reader, resolvePlain } from './yaml-scalar.ts';

/** A mapping's entry with its place. `inner`: the entries of a value that is itself a mapping. */
export type Entry = { key: string; line: number; column: number; value: ImportValue; inner?: Entry[] };

const limits = { characters: 1_000_000, nodes: 50_000, depth: 60, aliases: 500 };

/** The top-level mapping of a YAML or JSON file, with values as `reader` would read them. */
export function readTree(text: string, file: string, reader: Reader): Entry[] {
  if (text.length > limits.characters) throw tooLarge(file, 1);
  if (reader === 'json') checkJson(text, file);
  const counter = new LineCounter();
  const document = parseDocument(text, {
    version: reader === 'json' ? '1.2' : '1.1',
    // Every scalar stays text here; `resolvePlain` reads it the trainer's way.
    schema: 'failsafe',
    uniqueKeys: false,
    lineCounter: counter,
    prettyErrors: false,
  });
  const [error] = document.errors;
  if (error && /call stack/.test(error.message)) throw tooLarge(file, 1);
  if (error) {
    const { line, col } = counter.linePos(error.pos[0]);
    throw new ImportError({
      code: 'IMPORT_YAML',
      message: `this is not YAML: ${error.message}.`,
      hint: 'Correct the file at that place.',
      place: { file, line: Math.max(1, line), column: Math.max(1, col) },
    });
  }
  const root = document.contents;
  if (!isMap(root)) {
    throw new ImportError({
      code: 'IMPORT_CONFIG',
      message: 'a config file is a mapping of options to values.',
      hint: 'Import the file that is given to the trainer.',
      place: { file, line: 1, column: 1 },
    });
  }
  let nodes = 0;
  let aliases = 0;
  const at = (node: Node) => {
    const { line, col } = counter.linePos(node.range?.[0] ?? 0);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  const resolved = (node: unknown, depth: number): Node | undefined => {
    nodes += 1;
    if (nodes > limits.nodes || depth > limits.depth) throw tooLarge(file, 1);
    if (isAlias(node)) aliases += 1;
    if (aliases > limits.aliases) throw tooLarge(file, 1);
    return isAlias(node) ? node.resolve(document) : ((node ?? undefined) as Node | undefined);
  };
  const dataOf = (given: unknown, depth: number): ImportValue => {
    const node = resolved(given, depth);
    if (node === undefined) return null;
    if (isSeq(node)) return node.items.map((item) => dataOf(item, depth + 1));
    if (isMap(node)) return Object.fromEntries(entriesOf(node, depth).map(({ key, value }) => [key, value]));
    return isScalar(node) ? scalar(node, reader) : null;
  };
  const entriesOf = (given: unknown, depth: number): Entry[] => {
    const node = resolved(given, depth);
    if (!isMap(node)) return [];
    return node.items.flatMap((pair): Entry[] => {
      const name = resolved(pair.key, depth);
      const key = isScalar(name) ? String(name.value ?? '') : '';
      const place = name ? at(name) : { line: 1, column: 1 };
      if (key === '<<' && reader !== 'json') {
        const merged = resolved(pair.value, depth);
        const sources = isSeq(merged) ? merged.items.toReversed() : [merged];
        return sources.flatMap((each) => entriesOf(each, depth + 1));
      }
      const value = resolved(pair.value, depth);
      if (!isMap(value)) return [{ key, ...place, value: dataOf(pair.value, depth + 1) }];
      const inner = entriesOf(value, depth + 1);
      return [
        { key, ...place, value: Object.fromEntries(inner.map((each) => [each.key, each.value])), inner },
      ];
    });
  };
  return entriesOf(root, 0);
}

function scalar(node: Scalar, reader: Reader): ImportValue {
  const written = String(node.value ?? '');
  return node.type === Scalar.PLAIN && !node.tag ? resolvePlain(written, reader) : written;
}

function checkJson(text: string, file: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const offset = Number(/position (\d+)/.exec(error.message)?.[1] ?? text.length);
    const before = text.slice(0, offset).split('\n');
    throw new ImportError({
      code: 'IMPORT_JSON',
      message: 'this is not JSON.',
      hint: 'Correct the file at that place; JSON has no comments and no comma after the last entry.',
      place: { file, line: before.length, column: (before.at(-1)?.length ?? 0) + 1 },
    });
  }
}

function tooLarge(file: string, line: number): ImportError {
  return new ImportError({
    code: 'IMPORT_LIMIT',
    message: 'the config file is larger than can be read.',
    hint: 'Import a file that holds the options alone.',
    place: { file, line, column: 1 },
  });
}
