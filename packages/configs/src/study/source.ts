import {
  type Document,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml';
import type { Place, StudyProblem } from '../errors.ts';

/** A study file as read: its plain value, and a way back from a key path to a line. */
export type StudySource = {
  file: string;
  value: unknown;
  problems: StudyProblem[];
  /** The place of the value at `path`; `at: 'key'` points at the key itself. */
  place(path: readonly PropertyKey[], at?: 'key' | 'value'): Place;
};

type Flaw = { message: string; offset: number; key?: string };

/** Parses YAML 1.2. Duplicate keys, bad syntax and warnings come back as problems, not as a throw. */
export function readStudySource(text: string, file: string): StudySource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const at = (offset: number, key: string): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col), key };
  };
  const written = syntaxFlaws(document);
  const flaws = written.length > 0 ? written : nodeFlaws(document);
  const value = flaws.length > 0 ? undefined : plainValue(document, flaws);
  return {
    file,
    value,
    problems: flaws.map(({ message, offset, key = '' }) => ({
      code: 'STUDY_YAML',
      message: message.endsWith('.') ? message : `${message}.`,
      hint: 'The file must be YAML 1.2.',
      place: at(offset, key),
    })),
    place: (path, which = 'value') =>
      at(offsetOf(document.contents, path, which), path.map(String).join('.')),
  };
}

/** The document as plain data; aliases that multiply without end are a flaw too. */
function plainValue(document: Document.Parsed, flaws: Flaw[]): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 });
  } catch (error) {
    flaws.push({ message: error instanceof Error ? error.message : String(error), offset: 0 });
    return undefined;
  }
}

/** What the parser found, up to the first break of syntax: all that it says after one is guesswork. */
function syntaxFlaws(document: Document.Parsed): Flaw[] {
  const found = [...document.errors, ...document.warnings].sort((a, b) => a.pos[0] - b.pos[0]);
  const harmless = ['DUPLICATE_KEY', 'TAG_RESOLVE_FAILED'];
  const broken = found.findIndex(({ code }) => !harmless.includes(code));
  return found.slice(0, broken < 0 ? found.length : broken + 1).map(({ code, message, pos }) => ({
    message: code === 'MULTIPLE_DOCS' ? 'a second document begins here; a study is one' : message,
    offset: pos[0],
  }));
}

/** Aliases of nothing or of what they stand in, and a key that JavaScript would lose. */
function nodeFlaws(document: Document.Parsed): Flaw[] {
  const flaws: Flaw[] = [];
  visit(document, {
    Alias(_, alias, path) {
      const meant = alias.resolve(document);
      if (meant === undefined)
        flaws.push({ message: `nothing is marked \`&${alias.source}\``, offset: startOf(alias) });
      else if (path.includes(meant))
        flaws.push({ message: `\`*${alias.source}\` stands inside itself`, offset: startOf(alias) });
    },
    Pair(_, { key }) {
      if (isScalar(key) && key.value === '__proto__')
        flaws.push({ message: 'no key can have this name', offset: startOf(key), key: '__proto__' });
    },
  });
  return flaws;
}

/** Walks as far along `path` as the document goes, so that a missing key points at its parent. */
function offsetOf(root: Node | null, path: readonly PropertyKey[], which: 'key' | 'value'): number {
  let node: unknown = root;
  let offset = startOf(root);
  path.forEach((step, depth) => {
    const last = depth === path.length - 1;
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
      if (pair === undefined || !isPair(pair)) {
        node = undefined;
        return;
      }
      offset = startOf(last && which === 'key' ? pair.key : (pair.value ?? pair.key)) || startOf(pair.key);
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(step)];
      if (node !== undefined) offset = startOf(node);
    }
  });
  return offset;
}

function startOf(node: unknown): number {
  const range = (node as { range?: [number, number, number] | null } | null)?.range;
  return range?.[0] ?? 0;
}
