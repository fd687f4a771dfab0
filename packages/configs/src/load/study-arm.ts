import type { Told } from '../study/origins.ts';
import type { Study } from '../study/schema.ts';

/** A study as one arm has it. */
export type StudyArm = {
  arm: string;
  about: string | null;
  /** The stages it runs; what they need comes along. Null: all. */
  stages: readonly string[] | null;
  study: Study;
  told: Told;
};
