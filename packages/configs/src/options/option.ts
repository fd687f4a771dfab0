/** What a value of an option must be; `any` where the trainer itself does not say. */
export type OptionType = 'bool' | 'int' | 'float' | 'str' | 'list' | 'dict' | 'any';

/** One option of a trainer, by its own declaration. */
export type TrainerOption = {
  type: OptionType;
  /** Takes several values. */
  list?: boolean;
  choices?: string[];
  default?: unknown;
};

/** Every option of one version of a trainer. */
export type OptionTable = { trainer: string; version: string; options: Record<string, TrainerOption> };
