import { z } from 'zod';
import { variantKeys } from '../study/file-schema.ts';
import { studySchema } from '../study/schema.ts';
import { stageSchema } from '../study/stage-schemas.ts';

/** A key of the study file, as its schema has it. */
export type Word = {
  /** In its stage: `batch.global`; elsewhere from the top, with NAME for a name of the study's own. */
  word: string;
  /** Kinds of stages that have it; none where it is no word of a stage. */
  stages: string[];
  about: string;
  type: string;
  choices: string[];
  default: unknown;
  required: boolean;
};

/** Every word of the study file. */
export function everyWord(): Word[] {
  const top = z.object({ ...studySchema.shape, ...variantKeys });
  const outside = wordsOf(top, '', []).filter(({ word }) => !word.startsWith('stages.'));
  const inside = stageSchema.options.flatMap((stage) => {
    const [kind = ''] = [...stage.shape.kind.values];
    return wordsOf(stage, '', [kind]);
  });
  const kinds = stageSchema.options.flatMap((stage) => [...stage.shape.kind.values]);
  const kind: Word = {
    ...blank,
    word: 'kind',
    stages: kinds,
    about: 'What the stage does',
    type: 'text',
    choices: kinds,
    required: true,
  };
  const on: Word = {
    ...blank,
    word: 'on',
    stages: kinds,
    about: 'Keys of the stage that are other on a target, by the name of the target',
    type: 'mapping',
  };
  return together([...outside, ...inside.filter(({ word }) => word !== 'kind'), kind, on]);
}

const blank = { about: '', choices: [], default: undefined, required: false };

function wordsOf(schema: z.ZodType, at: string, stages: string[]): Word[] {
  const { inner, about, fallback, optional } = opened(schema);
  const own: Word = {
    word: at,
    stages,
    about,
    ...kindOf(inner),
    default: fallback,
    required: !optional && fallback === undefined,
  };
  const step = (key: string): string => (at === '' ? key : `${at}.${key}`);
  const below = childrenOf(inner).flatMap(([key, child]) => wordsOf(child, step(key), stages));
  return at === '' ? below : [own, ...together(below)];
}

function childrenOf(schema: z.ZodType): [string, z.ZodType][] {
  if (schema instanceof z.ZodObject) return Object.entries(schema.shape as Record<string, z.ZodType>);
  if (schema instanceof z.ZodRecord && opened(schema.valueType as z.ZodType).inner instanceof z.ZodObject)
    return [['NAME', schema.valueType as z.ZodType]];
  if (schema instanceof z.ZodUnion)
    return (schema.options as z.ZodType[]).flatMap((option) => childrenOf(opened(option).inner));
  return [];
}

type Opened = { inner: z.ZodType; about: string; fallback: unknown; optional: boolean };

/** Takes off what only says that a value may be left out, and keeps what is said of it. */
function opened(schema: z.ZodType, about = schema.description ?? ''): Opened {
  const next = (inner: unknown): Opened => {
    const type = inner as z.ZodType;
    return opened(type, about || (type.description ?? ''));
  };
  if (schema instanceof z.ZodOptional) return { ...next(schema.def.innerType), optional: true };
  if (schema instanceof z.ZodNullable) return next(schema.def.innerType);
  if (schema instanceof z.ZodDefault || schema instanceof z.ZodPrefault)
    return { ...next(schema.def.innerType), fallback: schema.def.defaultValue };
  if (schema instanceof z.ZodPipe) return next(schema.def.in);
  if (schema instanceof z.ZodLazy) return next(schema.unwrap());
  return { inner: schema, about, fallback: undefined, optional: false };
}

function kindOf(schema: z.ZodType): Pick<Word, 'type' | 'choices'> {
  if (schema instanceof z.ZodEnum) return { type: 'text', choices: schema.options.map(String) };
  if (schema instanceof z.ZodLiteral) return { type: 'text', choices: [...schema.values].map(String) };
  if (schema instanceof z.ZodUnion) {
    const kinds = (schema.options as z.ZodType[]).map((option) => kindOf(opened(option).inner));
    const types = [...new Set(kinds.map(({ type }) => type))];
    return { type: types.join(' or '), choices: kinds.flatMap(({ choices }) => choices) };
  }
  if (schema instanceof z.ZodArray) return { type: 'list', choices: [] };
  if (schema instanceof z.ZodObject || schema instanceof z.ZodRecord) return { type: 'mapping', choices: [] };
  if (schema instanceof z.ZodBoolean) return { type: 'true or false', choices: [] };
  if (schema instanceof z.ZodNumber) return { type: schema.isInt ? 'whole number' : 'number', choices: [] };
  return { type: 'text', choices: [] };
}

/** A word that several stages or several kinds of target have alike is one. */
function together(words: readonly Word[]): Word[] {
  const groups = new Map<string, Word>();
  for (const { stages, ...rest } of words) {
    const key = JSON.stringify(rest);
    groups.set(key, { ...rest, stages: [...new Set([...(groups.get(key)?.stages ?? []), ...stages])] });
  }
  return [...groups.values()];
}
