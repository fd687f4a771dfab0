import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
} from 'yaml';
import type { Place, StudyProblem } from '../errors.ts';
import { isWithOrigin, type ProvenanceByKey, separateOrigins } from './origins.ts';

/** A study file as read: its plain value, what it says of origins, and a way back from a key path to a line. */
export type StudySource = {
  file: string;
  value: unknown;
  provenance: ProvenanceByKey;
  /** Why nothing can be read of it. */
  problems: StudyProblem[];
  /** Wrong values with origin; the rest can be read. */
  slips: StudyProblem[];
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
  const read = flaws.length > 0 ? undefined : plainValue(document, flaws);
  const { value, provenance, flaws: slips } = separateOrigins(read);
  const place: StudySource['place'] = (path, which = 'value') =>
    at(offsetOf(document.contents, path, which), path.map(String).join('.'));
  const broken = flaws.map(({ message, offset, key = '' }): StudyProblem => {
    const sentence = message.endsWith('.') ? message : `${message}.`;
    return {
      code: 'STUDY_YAML',
      message: sentence,
      hint: 'The file must be YAML 1.2.',
      place: at(offset, key),
    };
  });
  const wrong = slips.map(({ path, at: which, message, hint }): StudyProblem => {
    return { code: 'STUDY_ORIGIN', message, ...(hint ? { hint } : {}), place: place(path, which) };
  });
  return { file, value, provenance, problems: broken, slips: wrong, place };
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
    Pair(_, { key: written }) {
      const key = isAlias(written) ? written.resolve(document) : written;
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
    if (!pairOf(node, step)) node = insideOrigin(node);
    if (isMap(node)) {
      const pair = pairOf(node, step);
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
  const inside = insideOrigin(node);
  return which === 'value' && inside !== node && inside !== undefined ? startOf(inside) : offset;
}

function pairOf(node: unknown, step: PropertyKey): Pair | undefined {
  if (!isMap(node)) return undefined;
  return node.items.find((item) => isScalar(item.key) && String(item.key.value) === String(step));
}

/** The value of a `{ value, origin }`, whose keys are no steps of a path; any other node as it is. */
function insideOrigin(node: unknown): unknown {
  if (!isMap(node)) return node;
  const keys = node.items.map((item) => [String(isScalar(item.key) ? item.key.value : ''), null]);
  return isWithOrigin(Object.fromEntries(keys)) ? pairOf(node, 'value')?.value : node;
}

function startOf(node: unknown): number {
  const range = (node as { range?: [number, number, number] | null } | null)?.range;
  return range?.[0] ?? 0;
}
