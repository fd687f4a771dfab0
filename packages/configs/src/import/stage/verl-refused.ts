import type { TrainerCommand, TrainerOption } from '../trainer-command.ts';
import { setHint } from '../unknown.ts';
import type { LeftOver } from './draft.ts';

/** Why a launch of verl is no stage of a study: another program than its PPO trainer, or an engine of its own. */
export function refusedLaunch(launch: TrainerCommand): LeftOver | undefined {
  return otherProgram(launch) ?? otherEngine(launch);
}

function otherProgram({ module, command, line }: TrainerCommand): LeftOver | undefined {
  const name = module ?? command;
  // Alone: a script in the folder it is run from.
  if (/^((.*\.)?verl\.trainer\.)?main_ppo(_v0)?$/.test(name)) return undefined;
  return {
    line,
    option: name,
    code: 'not-carried',
    message: `\`${name}\` is another program than \`verl.trainer.main_ppo\`, with other options; no stage of a study runs it.`,
    hint: 'A study trains with ms-swift (`kind: sft`, `rlhf`) and with `verl.trainer.main_ppo` (`kind: rl`).',
  };
}

const engines = ['dp', 'megatron'];
const strategies = ['fsdp', 'fsdp2', 'megatron'];

function otherEngine({ options, config }: TrainerCommand): LeftOver | undefined {
  for (const option of options) {
    const value = option.values[0];
    if (typeof value !== 'string' || option.action === 'delete') continue;
    if (option.package === undefined) {
      if (option.name === 'model_engine' && !engines.includes(value)) return engineLeft(option, value);
      const isStrategy =
        /^(actor_rollout_ref\.(actor|ref)|critic)\.((fsdp_config|fsdp|megatron|engine)\.)?strategy$/.test(
          option.name,
        );
      if (isStrategy && !strategies.includes(value)) return engineLeft(option, value);
    } else if (/^(model_engine|engine|actor|ref|critic)$/.test(option.name)) {
      if (!/^(dp|fsdp|megatron)(_|$)/.test(value)) return engineLeft(option, value);
    }
  }
  const named =
    config?.kind === 'hydra' ? /veomni|torchtitan|automodel|mindspeed/.exec(config.name ?? '') : null;
  return named === null
    ? undefined
    : notSaid({ line: config?.line ?? 0, option: '--config-name', engine: named[0] });
}

function engineLeft({ spelling, line, unknown }: TrainerOption, engine: string): LeftOver {
  if (unknown.length === 0) return notSaid({ line, option: spelling, engine });
  const hint = setHint(unknown);
  return {
    line,
    option: spelling,
    code: 'unknown-value',
    message: `the engine \`${engine}\` is known to the running script only; no stage was made.`,
    ...(hint === undefined ? {} : { hint }),
  };
}

const notSaid = ({ line, option, engine }: { line: number; option: string; engine: string }): LeftOver => ({
  line,
  option,
  code: 'not-carried',
  message: `the engine \`${engine}\` is none of a study's; no stage was made of the launch.`,
  hint: 'A study has fsdp, fsdp2 and megatron.',
});
