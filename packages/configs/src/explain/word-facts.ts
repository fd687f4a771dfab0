import { type Sample, samples } from './sample-stages.ts';
import { everyWord, type Word } from './word-tree.ts';

/** What a word of the study becomes in a trainer's own options. */
export type WordTarget = { trainer: Sample['trainer']; commands: string[]; option: string };

export type WordFacts = Word & { sets: WordTarget[] };

/** A word with the options that it, or a word below it, sets. */
export function wordFacts(word: Word): WordFacts {
  const sets = new Map<string, WordTarget>();
  for (const { trainer, command, option, key } of saidByWords()) {
    if (!isIn(key, word.word) || !mayHave(word, key, trainer, command)) continue;
    const name = `${trainer} ${option}`;
    const commands = sets.get(name)?.commands ?? [];
    sets.set(name, { trainer, option, commands: [...new Set([...commands, command])] });
  }
  return { ...word, sets: [...sets.values()] };
}

export function wordNames(): string[] {
  return [...new Set(everyWord().map(({ word }) => word))];
}

type Said = { trainer: Sample['trainer']; command: string; option: string; key: string };

function saidByWords(): Said[] {
  return samples().flatMap(({ trainer, command, settings, owned }) => {
    const set = Object.entries(settings).flatMap(([option, { key }]) =>
      key === undefined ? [] : [[option, key]],
    );
    const held = Object.entries(owned).flatMap(([option, words]) =>
      words.split(' or ').map((word) => [option, word.replace(/:.*$/, '')]),
    );
    return [...set, ...held].map(([option = '', key = '']) => ({ trainer, command, option, key }));
  });
}

function isIn(key: string, word: string): boolean {
  return key === word || key.startsWith(`${word}.`);
}

/** `overlong` of an `sft` is one thing, of an `rl` another; `data` of a stage one, of the file another. */
function mayHave({ stages }: Word, key: string, trainer: string, command: string): boolean {
  if (stages.length === 0) return !trainedWords().has(key.split('.')[0]);
  if (trainer === 'verl') return stages.includes('rl');
  return stages.includes(command.endsWith('rlhf') ? 'rlhf' : 'sft');
}

/** First steps of the words of stages that a trainer runs. */
function trainedWords(): Set<string | undefined> {
  const trained = everyWord().filter(({ stages }) =>
    stages.some((kind) => ['sft', 'rlhf', 'rl'].includes(kind)),
  );
  return new Set(trained.map(({ word }) => word.split('.')[0]));
}
