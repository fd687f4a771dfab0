import { sumOf, type Term, term } from './term.ts';

/**
 * What one checkpoint holds, by who writes it. `full` can be resumed, `weights` cannot. `states`: bytes of the
 * optimizer's own states for a trained parameter (default: AdamW's); `adapters`: what is trained beside the model.
 */
export type CheckpointKind =
  | { trainer: 'ms-swift'; content: 'full'; deepspeed: boolean; precision: 'bf16' | 'fp32'; states?: number }
  | { trainer: 'ms-swift'; content: 'weights'; precision: 'bf16' | 'fp32' }
  | { trainer: 'ms-swift'; content: 'lora'; adapters: number; optimizer: boolean; states?: number }
  | {
      trainer: 'verl-fsdp';
      precision: 'bf16' | 'fp32';
      hfModel: boolean;
      adapters?: number;
      states?: number;
    }
  | {
      trainer: 'megatron';
      optimizer: boolean;
      safetensors: boolean;
      adapters?: number;
      states?: number;
    };

/** Bytes of one checkpoint. Configuration, tokenizer and random states are left out: they are a few MB. */
export type CheckpointSize = { terms: Term[]; total: number };

/**
 * Size of one checkpoint of a model of `parameters`. With DeepSpeed the trainer writes 2-byte weights and, in its
 * own shards, the 32-bit copy and both Adam moments (12 bytes); without, the weights as they are and the two
 * moments of the same width. verl writes its FSDP shards in the width that it trains in (32 bits by default), and
 * Hugging Face weights of the same width only when asked (a run of 688,000 parameters left 2,755,696 bytes). Megatron writes 2-byte weights and the same 12 bytes.
 */
export function checkpointSize(parameters: number, kind: CheckpointKind): CheckpointSize {
  const terms = checkpointTerms(parameters, kind).filter((one) => one.bytes > 0);
  return { terms, total: sumOf(terms) };
}

function checkpointTerms(parameters: number, kind: CheckpointKind): Term[] {
  const of = (name: string, bytes: number): Term =>
    term(name, bytes * parameters, `${shown(bytes)} bytes × parameters`);
  switch (kind.trainer) {
    case 'ms-swift':
      return swiftTerms(kind, of);
    case 'verl-fsdp': {
      const width = kind.precision === 'fp32' ? 4 : 2;
      const states = kind.states ?? 2 * width;
      const { adapters } = kind;
      const hf = of('hf_model', kind.hfModel ? width : 0);
      if (adapters === undefined) return [of('model', width), of('optimizer', states), hf];
      // The whole model is in the shards, its adapters with it; the optimizer knows the adapters alone.
      return [
        of('model', width),
        beside('adapters', width, adapters),
        beside('optimizer', states, adapters),
        hf,
      ];
    }
    case 'megatron':
      return [
        ...(kind.adapters === undefined
          ? [of('weights', 2), of('optimizer', kind.optimizer ? 4 + (kind.states ?? 8) : 0)]
          : [
              beside('adapters', 2, kind.adapters),
              beside('optimizer', kind.optimizer ? 4 + (kind.states ?? 8) : 0, kind.adapters),
            ]),
        of('safetensors', kind.safetensors ? 2 : 0),
      ];
  }
}

const shown = (bytes: number): number => Number(bytes.toFixed(3));

const beside = (name: string, bytes: number, adapters: number): Term =>
  term(name, bytes * adapters, `${shown(bytes)} bytes × adapter parameters`);

function swiftTerms(
  kind: Extract<CheckpointKind, { trainer: 'ms-swift' }>,
  of: (name: string, bytes: number) => Term,
): Term[] {
  if (kind.content === 'lora') {
    // Adapters are trained and saved in 32 bits unless told otherwise (peft, autocast_adapter_dtype).
    const states = kind.optimizer ? (kind.states ?? 8) : 0;
    return [beside('adapters', 4, kind.adapters), beside('optimizer', states, kind.adapters)];
  }
  const width = kind.precision === 'fp32' ? 4 : 2;
  if (kind.content === 'weights') return [of('weights', width)];
  if (kind.deepspeed) return [of('weights', 2), of('ZeRO shards', 4 + (kind.states ?? 8))];
  return [of('weights', width), of('optimizer', kind.states ?? 2 * width)];
}

/**
 * Bytes of disk that a run needs at its worst moment: a new checkpoint is written before an old one is deleted,
 * so that one more than `keep` are there. No limit keeps all `saves`.
 */
export function peakDisk(checkpoint: CheckpointSize, saves: number, keep?: number): number {
  const most = keep === undefined ? saves : Math.min(saves, keep + 1);
  return most * checkpoint.total;
}
