import { findKnownShape, KNOWN_SHAPES, type KnownModel } from '../estimate/known-shapes.ts';
import type { ModelShape } from '../estimate/model-shape.ts';
import { modelBehind, preparedBy } from '../study/model-behind.ts';
import type { ModelEntry, Study } from '../study/schema.ts';

/** The shape of the model behind a name, or undefined when neither the study nor its name says it. */
export function shapeOf(study: Study, name: string): ModelShape | undefined {
  const model = modelBehind(study, name);
  if (model === undefined) return undefined;
  if (typeof model.shape === 'object') return writtenShape(model.shape);
  if (typeof model.shape === 'string') return shapeNamed(model.shape);
  return preparedShape(study, model) ?? findKnownShape(model.hub ?? model.path ?? '')?.shape;
}

/** A shape by its name in the table, or by the id of a model that has it. */
export function shapeNamed(name: string): ModelShape | undefined {
  return Object.hasOwn(KNOWN_SHAPES, name) ? KNOWN_SHAPES[name as KnownModel] : findKnownShape(name)?.shape;
}

function writtenShape(shape: Exclude<NonNullable<ModelEntry['shape']>, string>): ModelShape {
  const { layers, hidden, heads, kv_heads, head_dim, intermediate, vocab, tied } = shape;
  return {
    ...{ layers, hidden, heads, intermediate, vocab },
    ...{ kvHeads: kv_heads, headDim: head_dim, tiedEmbeddings: tied },
  };
}

function preparedShape(study: Study, model: ModelEntry): ModelShape | undefined {
  const stage = preparedBy(study, model);
  if (stage === undefined) return undefined;
  const { layers, hidden, heads, kv_heads, head_dim, intermediate } = stage.model;
  return {
    ...{ layers, hidden, heads, intermediate, vocab: stage.vocab },
    ...{ kvHeads: kv_heads, headDim: head_dim, tiedEmbeddings: true, qkNorm: true },
  };
}
