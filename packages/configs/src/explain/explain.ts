import { bareName, findNames, namesNear } from './find-names.ts';
import { type OptionFacts, optionFacts, optionNames } from './option-facts.ts';
import { type WordFacts, wordFacts, wordNames } from './word-facts.ts';
import { everyWord } from './word-tree.ts';

/** All that a name may mean. */
export type Explanation = {
  asked: string;
  options: OptionFacts[];
  words: WordFacts[];
  /** Longer names that end so, where the name itself exists. */
  alsoEnding: string[];
  /** The nearest names, where nothing was found. */
  near: string[];
};

const trainers = ['ms-swift', 'verl'] as const;

/** What a trainer's option or a word of the study is; a name may be several. */
export function explain(written: string): Explanation {
  const asked = withoutStage(bareName(written));
  const found = trainers.map((trainer) => ({ trainer, ...findNames(asked, optionNames(trainer)) }));
  const words = findNames(asked, wordNames());
  const exact = words.exact.length > 0 || found.some((names) => names.exact.length > 0);
  const meant = (names: { exact: string[]; tails: string[] }) => (exact ? names.exact : names.tails);
  const options = found.flatMap((names) => meant(names).map((name) => optionFacts(names.trainer, name)));
  const chosen = new Set(meant(words));
  const meanings = everyWord().filter(({ word }) => chosen.has(word));
  const nothing = options.length === 0 && meanings.length === 0;
  return {
    asked,
    options,
    words: meanings.map(wordFacts),
    alsoEnding: exact ? [...found.flatMap(({ tails }) => tails), ...words.tails] : [],
    near: nothing ? namesNear(asked, [...trainers.flatMap(optionNames), ...wordNames()]) : [],
  };
}

/** A place in a study as its errors print it. */
function withoutStage(name: string): string {
  return name.replace(/^stages\.[^.]+\./, '').replace(/^options\./, '');
}
