import { nearestNames, suggestName } from './nearest.ts';
import { textOf } from './text-of.ts';

/** Where a setting's value came from. */
export const origins = ['paper', 'repo', 'card', 'secondary', 'framework-default', 'user'] as const;
export type Origin = (typeof origins)[number];

/** What a study says of where a value came from. */
export type Provenance = { origin: Origin; evidence?: string; deviatesFromPaper?: true };

/** What a study says of the origin of the value at a path of its keys. */
export type Told = (path: readonly string[]) => {
  origin: Origin | 'her';
  evidence?: string;
  deviatesFromPaper?: true;
};

/** Provenance by key path, its steps joined by dots. */
export type ProvenanceByKey = ReadonlyMap<string, Provenance>;

export type OriginFlaw = { path: PropertyKey[]; at: 'key' | 'value'; message: string; hint?: string };

const words = ['value', 'origin', 'evidence', 'deviates_from_paper'];

/**
 * Takes the plain value out of every `{ value, origin, evidence }` of a study, so that all that follows sees plain
 * values only, and keeps what was said of their origins.
 */
export function separateOrigins(root: unknown): {
  value: unknown;
  provenance: Map<string, Provenance>;
  flaws: OriginFlaw[];
} {
  const provenance = new Map<string, Provenance>();
  const flaws: OriginFlaw[] = [];
  const walk = (node: unknown, path: PropertyKey[]): unknown => {
    if (Array.isArray(node)) return node.map((item, i) => walk(item, [...path, i]));
    if (typeof node !== 'object' || node === null) return node;
    if (!isWithOrigin(node)) {
      return Object.fromEntries(
        Object.entries(node).map(([key, inner]) => [key, walk(inner, [...path, key])]),
      );
    }
    const own = wrapperFlaws(node, path);
    flaws.push(...own);
    if (own.length === 0) provenance.set(path.map(String).join('.'), provenanceOf(node));
    return walk(node['value'], path);
  };
  return { value: walk(root, []), provenance, flaws };
}

/** Meant as a value with its origin, perhaps with a slip: neither the study nor a trainer has a mapping of these keys. */
export function isWithOrigin(node: object): node is Record<string, unknown> {
  const keys = Object.keys(node);
  const [value, origin] = [keys.includes('value'), keys.includes('origin')];
  return (value && origin) || ((value || origin) && keys.every((key) => nearestNames(key, words).length > 0));
}

function wrapperFlaws(node: Record<string, unknown>, path: PropertyKey[]): OriginFlaw[] {
  const flaws: OriginFlaw[] = Object.keys(node)
    .filter((key) => !words.includes(key))
    .map((key) => ({
      path: [...path, key],
      at: 'key',
      message: `unknown key \`${key}\`.`,
      hint: key.includes(' ') ? 'A text with a comma needs quotes here.' : suggestName(key, words),
    }));
  const meant = Object.keys(node).flatMap((key) => (words.includes(key) ? [] : nearestNames(key, words)));
  const { origin, evidence, deviates_from_paper: deviates } = node;
  if (!('value' in node) && !meant.includes('value'))
    flaws.push({ path, at: 'value', message: '`value` is required beside `origin`.' });
  if ('origin' in node ? !origins.some((word) => word === origin) : !meant.includes('origin')) {
    const hint = suggestName(textOf(origin ?? ''), origins);
    const message = 'origin' in node ? `${JSON.stringify(origin)} is no origin.` : '`origin` is required.';
    flaws.push({ path: 'origin' in node ? [...path, 'origin'] : path, at: 'value', message, hint });
  }
  if (evidence !== undefined && typeof evidence !== 'string')
    flaws.push({ path: [...path, 'evidence'], at: 'value', message: '`evidence` is a text.' });
  if (deviates !== undefined && deviates !== true) {
    const message = '`deviates_from_paper` is true, or is left out.';
    flaws.push({ path: [...path, 'deviates_from_paper'], at: 'value', message });
  }
  return flaws;
}

function provenanceOf(node: Record<string, unknown>): Provenance {
  return {
    origin: node['origin'] as Origin,
    ...(node['evidence'] === undefined ? {} : { evidence: node['evidence'] as string }),
    ...(node['deviates_from_paper'] === true ? { deviatesFromPaper: true as const } : {}),
  };
}
