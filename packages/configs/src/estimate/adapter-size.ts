import { keyWidth, type ModelShape, queryWidth } from './model-shape.ts';
import type { LoraTarget, Tuning } from './training-job.ts';

const ALL_LINEAR: readonly LoraTarget[] = ['q', 'k', 'v', 'o', 'gate', 'up', 'down'];

/**
 * Parameters of the adapters: rank × (inputs + outputs) for each adapted matrix (arXiv 2106.09685). Every routed
 * expert has its own adapters. 0 in full tuning.
 */
export function countAdapterParameters(shape: ModelShape, tuning: Tuning): number {
  if (tuning.kind === 'full') return 0;
  const { hidden, experts } = shape;
  const width = experts?.intermediate ?? shape.intermediate;
  const copies = experts?.count ?? 1;
  const sides: Record<LoraTarget, number> = {
    q: hidden + queryWidth(shape),
    k: hidden + keyWidth(shape),
    v: hidden + keyWidth(shape),
    o: queryWidth(shape) + hidden,
    gate: copies * (hidden + width),
    up: copies * (hidden + width),
    down: copies * (width + hidden),
  };
  const targets = tuning.targets === 'all-linear' ? ALL_LINEAR : [...new Set(tuning.targets)];
  const perLayer = targets.reduce((sum, target) => sum + sides[target], 0);
  return shape.layers * tuning.rank * perLayer;
}
