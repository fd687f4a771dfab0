import { isMap, isPair, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml';
import type { Place, StudyProblem } from '../errors.ts';

/** A study file as read: its plain value, and a way back from a key path to a line. */
export type StudySource = {
  file: string;
  value: unknown;
  problems: StudyProblem[];
  /** The place of the value at `path`; `at: 'key'` points at the key itself. */
  place(path: readonly PropertyKey[], at?: 'key' | 'value'): Place;
};

/** Parses YAML 1.2. Duplicate keys, bad syntax and warnings come back as problems, not as a throw. */
export function readStudySource(text: string, file: string): StudySource {
  const lines = new LineCounter();
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, uniqueKeys: true });
  const at = (offset: number, key: string): Place => {
    const { line, col } = lines.linePos(offset);
    return { file, line: Math.max(1, line), column: Math.max(1, col), key };
  };
  const problems = [...document.errors, ...document.warnings].map(
    (error): StudyProblem => ({
      code: 'STUDY_YAML',
      message: error.message,
      hint: 'The file must be YAML 1.2.',
      place: at(error.pos[0], ''),
    }),
  );
  return {
    file,
    value: document.errors.length === 0 ? document.toJS({ maxAliasCount: 100 }) : undefined,
    problems,
    place: (path, which = 'value') =>
      at(offsetOf(document.contents, path, which), path.map(String).join('.')),
  };
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
