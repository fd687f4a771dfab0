import type { TrainerOption } from '../options/option.ts';
import { ignoredByVerl, replacementFor } from '../rules/verl-ignored.ts';
import type { OptionValue } from '../study/settings.ts';
import { everyTable } from './every-table.ts';
import { type KnownNames, knownNames } from './known-names.ts';
import { type Sample, samples } from './sample-stages.ts';

/** How commands of a trainer declare an option; those that declare it alike are one. */
export type OptionVariant = {
  commands: string[];
  /** Null: the trainer does not declare it; this program adds it. */
  option: TrainerOption | null;
  /** The word of the study that says it; a study cannot set the option beside it. */
  word: string | null;
  /** Where only one algorithm takes it over. */
  wordWith: string | null;
  /** The word of the study that sets it, where `options` may say otherwise. */
  setBy: string | null;
  /** What this program sets where the study says nothing, and why. */
  chosen: { value: OptionValue; why: string }[];
};

/** An option of a trainer with all that is known of it. */
export type OptionFacts = {
  name: string;
  trainer: 'ms-swift' | 'verl';
  version: string;
  variants: OptionVariant[];
  rules: { says: string; with: string[] }[];
  /** verl takes it and does not read it: what took its place. */
  replacedBy: string | null;
  /** Names of the trainer's registry, where its own declaration says `text` only. */
  known: KnownNames | null;
};

/** Every name of a trainer's option: declared ones, and keys that this program adds to verl's tree. */
export function optionNames(trainer: OptionFacts['trainer']): string[] {
  const declared = everyTable().flatMap((table) =>
    table.trainer === trainer ? Object.keys(table.options) : [],
  );
  const added = samples().flatMap((sample) =>
    sample.trainer === trainer
      ? Object.keys(sample.settings).filter((name) => !name.startsWith('hydra.'))
      : [],
  );
  return [...new Set([...declared, ...added])];
}

export function optionFacts(trainer: OptionFacts['trainer'], name: string): OptionFacts {
  const tables = everyTable().filter((table) => table.trainer === trainer);
  const of = (command: string): Sample[] =>
    samples().filter((sample) => sample.trainer === trainer && sample.command === command);
  const found = tables.flatMap(({ command, options }): OptionVariant[] => {
    const option = Object.hasOwn(options, name) ? (options[name] ?? null) : null;
    const set = of(command).some(({ settings }) => Object.hasOwn(settings, name));
    return option === null && !set ? [] : [{ commands: [command], option, ...saidBy(of(command), name) }];
  });
  const commands = found.flatMap((variant) => variant.commands);
  return {
    name,
    trainer,
    version: tables[0]?.version ?? '',
    variants: alike(found),
    rules: rulesOn(commands.flatMap(of), name),
    replacedBy: trainer === 'verl' ? (replacementFor(name) ?? null) : null,
    known: trainer === 'ms-swift' ? knownNames(name) : null,
  };
}

function saidBy(of: readonly Sample[], name: string): Omit<OptionVariant, 'commands' | 'option'> {
  const holding = of.filter(({ owned }) => Object.hasOwn(owned, name));
  const chosen = of.flatMap(({ settings }) => {
    const setting = settings[name];
    return setting?.origin === 'her' && setting.key === undefined
      ? [{ value: setting.value, why: setting.evidence ?? '' }]
      : [];
  });
  const key = of.map(({ settings }) => settings[name]?.key).find((word) => word !== undefined);
  return {
    setBy: holding.length === 0 ? (key ?? null) : null,
    word: holding[0]?.owned[name] ?? null,
    wordWith: onlyWith(of, holding),
    chosen: [...new Map(chosen.map((choice) => [JSON.stringify(choice), choice])).values()],
  };
}

/** The algorithm that all of some samples share and the others have not. */
function onlyWith(all: readonly Sample[], some: readonly Sample[]): string | null {
  const algorithms = new Set(some.map(({ algorithm }) => algorithm));
  const [only = null] = algorithms;
  return algorithms.size === 1 && all.some(({ algorithm }) => algorithm !== only) ? only : null;
}

function alike(variants: readonly OptionVariant[]): OptionVariant[] {
  const groups = new Map<string, OptionVariant>();
  for (const { commands, ...rest } of variants) {
    const key = JSON.stringify(rest);
    groups.set(key, { ...rest, commands: [...(groups.get(key)?.commands ?? []), ...commands] });
  }
  return [...groups.values()];
}

/** Rules of the commands that have the option; what is ignored is told elsewhere. */
function rulesOn(of: readonly Sample[], name: string): OptionFacts['rules'] {
  const ignored = Object.keys(ignoredByVerl);
  const found = of
    .flatMap(({ rules }) => rules)
    .filter(({ options }) => options.includes(name) && !options.every((other) => ignored.includes(other)));
  return [...new Set(found)].map(({ says, options }) => ({
    says,
    with: options.filter((other) => other !== name),
  }));
}
