import type { StudyFileParts } from './file-schema.ts';
import { isMapping, type Mapping, mapping } from './mapping.ts';
import type { Provenance, ProvenanceByKey } from './origins.ts';
import type { StudySource } from './source.ts';

/** One arm on one target: a study without variants, and a way back to the keys of the file. */
export type Variant = {
  arm: string;
  target: string;
  source: StudySource;
  /** The key of the file that holds what stands at a key of the variant. */
  fileKey(key: string): string;
};

/** The arm of a study that names none. */
export const onlyArm = 'main';
/** The target of a study that writes it in place. */
export const onlyTarget = 'target';

type Layer = { prefix: PropertyKey[]; changes: Mapping };

/** Every arm on every target, in the file's order. */
export function studyVariants(source: StudySource, parts: StudyFileParts): Variant[] {
  const arms = Object.keys(parts.arms);
  const targets = Object.keys(parts.targets);
  return (targets.length === 0 ? [onlyTarget] : targets).flatMap((target) =>
    (arms.length === 0 ? [onlyArm] : arms).map((arm) => variantOf(source, parts, arm, target)),
  );
}

/** The name of the target that the file chooses. */
export function chosenTarget(source: StudySource, parts: StudyFileParts): string {
  const written = mapping(source.value)['target'];
  return typeof written === 'string' && Object.hasOwn(parts.targets, written)
    ? written
    : (Object.keys(parts.targets)[0] ?? onlyTarget);
}

function variantOf(source: StudySource, parts: StudyFileParts, arm: string, target: string): Variant {
  const { targets: _, arms: __, questions: ___, ...rest } = mapping(source.value);
  const several = Object.hasOwn(parts.targets, target);
  const layers = new Map<string, Layer[]>();
  const fileKeys = new Map<string, string>();
  const stages = mapSome(rest['stages'], (stageName, written) => {
    const found = stageLayers(parts, stageName, written, arm, target);
    layers.set(stageName, found);
    const { on: ___, ...base } = mapping(written);
    return isMapping(written) ? found.reduce((stage, { changes }) => merged(stage, changes), base) : written;
  });
  const value = {
    ...rest,
    ...(rest['stages'] === undefined ? {} : { stages }),
    ...(several ? { target: parts.targets[target] } : {}),
  };
  const origin = (path: readonly PropertyKey[]): PropertyKey[] => {
    if (several && path[0] === 'target') return ['targets', target, ...path.slice(1)];
    if (path[0] !== 'stages' || path.length < 3) return [...path];
    const inStage = path.slice(2);
    const holder = (layers.get(String(path[1])) ?? []).findLast(({ changes }) => holds(changes, inStage));
    return holder === undefined ? [...path] : [...holder.prefix, ...inStage];
  };
  const variantSource: StudySource = {
    ...source,
    value: isMapping(source.value) ? value : source.value,
    provenance: movedProvenance(source.provenance, layers, several ? target : null),
    place: (path, at) => {
      const file = origin(path);
      const key = path.map(String).join('.');
      if (file.length > 0) fileKeys.set(key, file.map(String).join('.'));
      return { ...source.place(file, at), key };
    },
  };
  return { arm, target, source: variantSource, fileKey: (key) => fileKeys.get(key) ?? key };
}

/** What changes a stage in a variant, the strongest last. */
function stageLayers(
  parts: StudyFileParts,
  stage: string,
  written: unknown,
  arm: string,
  target: string,
): Layer[] {
  const forTarget = mapping(mapping(written)['on'])[target];
  const forArm = parts.arms[arm]?.change[stage];
  return [
    ...(isMapping(forTarget) ? [{ prefix: ['stages', stage, 'on', target], changes: forTarget }] : []),
    ...(forArm === undefined ? [] : [{ prefix: ['arms', arm, 'change', stage], changes: forArm }]),
  ];
}

/** Mappings are merged key by key; anything else is replaced. A null takes a key away. */
function merged(base: Mapping, changes: Mapping): Mapping {
  const result: Mapping = { ...base };
  for (const [key, value] of Object.entries(changes)) {
    const before = result[key];
    if (value === null) delete result[key];
    else result[key] = isMapping(value) ? merged(isMapping(before) ? before : {}, value) : value;
  }
  return result;
}

/** Whether a change decides what stands at a path. */
function holds(changes: unknown, path: readonly PropertyKey[]): boolean {
  const [step, ...rest] = path;
  if (step === undefined) return true;
  if (!isMapping(changes) || !Object.hasOwn(changes, String(step))) return false;
  const inner = changes[String(step)];
  return rest.length === 0 || !isMapping(inner) || holds(inner, rest);
}

/** What is said of a changed key counts for the variant; what was said of the value that it replaced does not. */
function movedProvenance(
  provenance: ProvenanceByKey,
  layers: ReadonlyMap<string, Layer[]>,
  target: string | null,
): Map<string, Provenance> {
  const result = new Map(provenance);
  const move = (from: string, to: string): void => {
    for (const [key, said] of provenance) {
      if (key === from || key.startsWith(`${from}.`)) result.set(`${to}${key.slice(from.length)}`, said);
    }
  };
  for (const [stage, found] of layers) {
    for (const { prefix, changes } of found) {
      for (const leaf of leavesOf(changes)) result.delete(`stages.${stage}.${leaf}`);
      move(prefix.map(String).join('.'), `stages.${stage}`);
    }
  }
  if (target !== null) move(`targets.${target}`, 'target');
  return result;
}

function leavesOf(changes: Mapping, prefix = ''): string[] {
  return Object.entries(changes).flatMap(([key, value]) =>
    isMapping(value) ? leavesOf(value, `${prefix}${key}.`) : [`${prefix}${key}`],
  );
}

function mapSome(value: unknown, change: (name: string, inner: unknown) => unknown): unknown {
  if (!isMapping(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, change(name, inner)]));
}
