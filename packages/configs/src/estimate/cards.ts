import { GIB } from './units.ts';

/** What of a card's nominal GB a process can allocate, in GiB, as torch reports a card's total capacity. */
const USABLE_GIB: Readonly<Record<number, number>> = {
  24: 23.6,
  40: 39.4,
  48: 47.4,
  80: 79.2,
  96: 95,
  141: 139.8,
  180: 178.3,
  192: 191.5,
};

/** Bytes that a process can allocate on a card sold as `cardGb`. Of sizes not in the table, 99 % in GiB. */
export function usableBytes(cardGb: number): number {
  return (USABLE_GIB[cardGb] ?? 0.99 * cardGb) * GIB;
}

/** A GPU, from its maker's data sheet: dense bf16 peak in TFLOP/s, memory bandwidth in GB/s. */
export type Card = { memoryGb: number; tflops: number; bandwidthGbs: number };

/** GPUs by name. H100 and H800 are the SXM models. */
export const CARDS = {
  'A100-40': { memoryGb: 40, tflops: 312, bandwidthGbs: 1555 },
  'A100-80': { memoryGb: 80, tflops: 312, bandwidthGbs: 2039 },
  'A800-80': { memoryGb: 80, tflops: 312, bandwidthGbs: 2039 },
  'H100-80': { memoryGb: 80, tflops: 989, bandwidthGbs: 3350 },
  'H800-80': { memoryGb: 80, tflops: 989, bandwidthGbs: 3350 },
  'H20-96': { memoryGb: 96, tflops: 148, bandwidthGbs: 4000 },
  'H200-141': { memoryGb: 141, tflops: 989, bandwidthGbs: 4800 },
  'B200-180': { memoryGb: 180, tflops: 2250, bandwidthGbs: 8000 },
  'L40S-48': { memoryGb: 48, tflops: 362, bandwidthGbs: 864 },
  'RTX3090-24': { memoryGb: 24, tflops: 71, bandwidthGbs: 936 },
  'RTX4090-24': { memoryGb: 24, tflops: 165, bandwidthGbs: 1008 },
  'MI300X-192': { memoryGb: 192, tflops: 1307, bandwidthGbs: 5300 },
} as const satisfies Record<string, Card>;

/** The name of a GPU in the table. */
export type CardName = keyof typeof CARDS;
