import type { OptionValue } from '../../study/settings.ts';
import type { TrainerCommand } from '../trainer-command.ts';
import type { Taken } from './take.ts';

/** What ms-swift's own `fsdp2` says of these, and a launch that says otherwise. */
const presetOfFsdp2: Record<string, string> = {
  fsdp_auto_wrap_policy: 'TRANSFORMER_BASED_WRAP',
  fsdp_reshard_after_forward: 'true',
  fsdp_cpu_ram_efficient_loading: 'true',
  fsdp_state_dict_type: 'SHARDED_STATE_DICT',
  fsdp_activation_checkpointing: 'true',
  fsdp_offload_params: 'false',
};

/** How accelerate spreads a model, in the study's words; what they do not say is noted. */
export function accelerateSpread(
  { launcher, line }: TrainerCommand,
  taken: Taken,
): Record<string, OptionValue> {
  const spread = launcher.spread ?? {};
  const on = (name: string): boolean => /^true$/i.test(spread[name] ?? '');
  if (on('use_megatron_lm')) {
    taken.note(line, 'megatron_lm', 'not-carried', "accelerate's Megatron-LM is none of a study's engines.");
    return {};
  }
  if (on('use_fsdp')) return fsdp(spread, line, taken);
  return on('use_deepspeed') ? deepspeed(spread, line, taken) : {};
}

function fsdp(spread: Record<string, string>, line: number, taken: Taken): Record<string, OptionValue> {
  if (spread['fsdp_version'] !== '2') {
    const message = 'accelerate spreads the model by FSDP 1; of FSDP a study knows `fsdp2` only.';
    taken.note(line, 'fsdp_version', 'not-carried', message, 'For example: `parallel: { sharding: fsdp2 }`.');
    return {};
  }
  const others = Object.entries(spread).filter(
    ([name, value]) =>
      name.startsWith('fsdp_') &&
      name !== 'fsdp_version' &&
      presetOfFsdp2[name] !== (/^(true|false)$/i.test(value) ? value.toLowerCase() : value),
  );
  if (others.length > 0) {
    const told = others.map(([name, value]) => `\`${name}: ${value}\``).join(', ');
    const message = `${told}: ms-swift's own \`fsdp2\` says otherwise, and is taken.`;
    taken.note(line, 'fsdp_config', 'not-carried', message);
  }
  return { sharding: 'fsdp2' };
}

function deepspeed(spread: Record<string, string>, line: number, taken: Taken): Record<string, OptionValue> {
  const file = spread['deepspeed_config_file'];
  const stage = spread['zero_stage'] ?? (file === undefined ? '2' : undefined);
  if (stage === undefined || !/^[123]$/.test(stage)) {
    const message = `of DeepSpeed's \`${file ?? `zero_stage: ${stage}`}\` nothing was carried over.`;
    taken.note(
      line,
      'deepspeed_config',
      'not-carried',
      message,
      'Write `parallel: { sharding: zero2 }` or its like.',
    );
    return {};
  }
  const away = (name: string): boolean => !['none', undefined].includes(spread[`offload_${name}_device`]);
  const all = away('optimizer') && (stage === '2' || away('param'));
  if (!all && (away('optimizer') || away('param'))) {
    const message =
      'only some states rest in host memory; a study has `offload: all` or none, and none was taken.';
    taken.note(line, 'deepspeed_config', 'not-carried', message);
  }
  return { sharding: `zero${stage}`, ...(all ? { offload: 'all' } : {}) };
}
