import { isMegatron, swiftCommand } from '../../stages/swift/command.ts';
import type { SwiftStage } from '../../study/stage-schemas.ts';
import type { Rule } from '../rule.ts';
import { megatronRules } from './megatron.ts';
import { plainRules } from './plain.ts';
import { sharedRules } from './shared.ts';

/** Every rule of ms-swift, with the side that it belongs to. */
export function swiftRules(stage: SwiftStage): readonly Rule<SwiftStage>[] {
  return [...sharedRules, ...(isMegatron(swiftCommand(stage)) ? megatronRules : plainRules)];
}
export const allSwiftRules: readonly Rule<SwiftStage>[] = [...sharedRules, ...plainRules, ...megatronRules];
