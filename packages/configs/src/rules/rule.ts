import type { OptionTable } from '../options/option.ts';
import type { Settings } from '../stages/settings-builder.ts';
import type { StageContext } from '../stages/stage-context.ts';
import type { OptionValue } from '../study/settings.ts';
import type { StageOf, SwiftStage } from '../study/stage-schemas.ts';

/** The settings of one job as its trainer will have them, and the stage that they come from. */
export type RuleContext<S extends SwiftStage | StageOf<'rl'>> = {
  stage: S;
  context: StageContext<S>;
  settings: Settings;
  table: OptionTable;
  /** What the trainer will use: the value that is set, or the trainer's own default. */
  get(option: string): unknown;
  /** Whether the study or this program sets it. */
  isSet(option: string): boolean;
};

/** `option`: whose place in the study is shown; the first of the rule's when left out. */
export type Broken = { option?: string; message: string; hint?: string };

/** What must hold between options, which the trainer itself does not check, or checks too late. */
export type Rule<S extends SwiftStage | StageOf<'rl'>> = {
  /** What is constrained, by the trainer's own names. */
  options: readonly string[];
  /** One sentence for `her explain`. */
  says: string;
  check(context: RuleContext<S>): Broken[];
};

/** A rule whose break is one sentence. */
export function when(broken: boolean, message: string, more: Omit<Broken, 'message'> = {}): Broken[] {
  return broken ? [{ message, ...more }] : [];
}

export function contextOf<S extends SwiftStage | StageOf<'rl'>>(
  context: StageContext<S>,
  settings: Settings,
  table: OptionTable,
): RuleContext<S> {
  const isSet = (option: string): boolean => Object.hasOwn(settings, option);
  const get = (option: string): OptionValue | unknown => {
    if (isSet(option)) return settings[option]?.value;
    const declared = Object.hasOwn(table.options, option) ? table.options[option] : undefined;
    return declared?.follows === undefined ? declared?.default : get(declared.follows);
  };
  return { stage: context.stage, context, settings, table, get, isSet };
}
