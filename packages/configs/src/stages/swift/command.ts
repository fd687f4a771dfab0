import type { SwiftStage } from '../../study/stage-schemas.ts';

/** The four ways in which ms-swift is called; each has its own options. */
export type SwiftCommand = 'sft' | 'rlhf' | 'megatron-sft' | 'megatron-rlhf';

export function swiftCommand({ kind, trainer }: Pick<SwiftStage, 'kind' | 'trainer'>): SwiftCommand {
  return trainer === 'megatron-swift' ? `megatron-${kind}` : kind;
}

export function isMegatron(command: SwiftCommand): boolean {
  return command.startsWith('megatron-');
}

/** The file that a job's settings are in, and the words that start the trainer with it. */
export function swiftLaunch(command: SwiftCommand): { file: string; argv: string[] } {
  const file = `${command}.yaml`;
  const words = isMegatron(command) ? ['megatron', command.slice('megatron-'.length)] : ['swift', command];
  return { file, argv: [...words, file] };
}
