import { parseOverrideKey } from './hydra/override.ts';
import { parseHydraValue } from './hydra/value.ts';
import type { Notes } from './note.ts';
import { isUnknown, spell, type Value, type Word } from './shell/value.ts';
import { lastOfEach, noteGlob, noteUnknown } from './swift-options.ts';
import type { ConfigReference, ImportValue, TrainerOption } from './trainer-command.ts';
import { isOpen, setHint, splitValue, unknownPieces } from './unknown.ts';

/** The words after `verl.trainer.main_ppo`: Hydra's own flags and its overrides. */
export function verlOptions(
  words: readonly Word[],
  notes: Notes,
): { options: TrainerOption[]; config: ConfigReference | null } {
  const options: TrainerOption[] = [];
  const config: { name?: string; path?: string; dir?: string; line: number } = { line: 0 };
  for (let at = 0; at < words.length; at++) {
    const word = words[at];
    if (!word) break;
    const written = spell(word.value);
    const [, flag, inline] = /^(--?[a-z][\w-]*)(?:=(.*))?$/s.exec(written) ?? [];
    const key = flag === undefined ? undefined : configFlags[flag];
    if (key) {
      const value = inline ?? spell(words[++at]?.value ?? []);
      config[key] = value;
      config.line ||= word.line;
    } else if (flag) {
      notes.add({
        line: word.line,
        code: 'not-an-option',
        message: `\`${written}\` is a flag of Hydra that is not carried over.`,
      });
    } else if (isOpen(word.value)) {
      const hint = setHint(unknownPieces(word.value));
      notes.add({
        line: word.line,
        code: 'unknown-words',
        message: `\`${written}\` may stand for no word or for several overrides; none was read.`,
        ...(hint ? { hint } : {}),
      });
    } else {
      const option = overrideOption(word, notes);
      if (option) options.push(option);
    }
  }
  return {
    options: lastOfEach(options, notes),
    config: config.line > 0 ? { kind: 'hydra', ...config } : null,
  };
}

const configFlags: Record<string, 'name' | 'path' | 'dir'> = {
  '--config-name': 'name',
  '-cn': 'name',
  '--config-path': 'path',
  '-cp': 'path',
  '--config-dir': 'dir',
  '-cd': 'dir',
};

/** One override; unknown pieces stand for characters while it is parsed. */
export function overrideOption({ value, line, column, glob }: Word, notes: Notes): TrainerOption | undefined {
  const marked = value.map((piece, i) => (isUnknown(piece) ? `\uE000${i}\uE001` : piece.text)).join('');
  const written = spell(value);
  const key = parseOverrideKey(marked);
  if (!key) {
    notes.add({
      line,
      code: 'not-an-option',
      message: `\`${written}\` is not an override that Hydra takes.`,
    });
    return undefined;
  }
  const name = unmark(key.name, value);
  const option: TrainerOption = {
    name,
    spelling: `${{ set: '', add: '+', 'add-or-set': '++', delete: '~' }[key.action]}${name}`,
    values: [],
    line,
    column,
    action: key.action,
    ...(key.package === undefined ? {} : { package: key.package }),
    unknown: unknownPieces(value),
  };
  if (key.valueAt === undefined) return option;
  const source = marked.slice(key.valueAt);
  const parsed = parseHydraValue(source);
  if ('error' in parsed) {
    notes.add({
      line,
      code: 'not-an-option',
      message: `Hydra does not take \`${written}\`: ${parsed.error}. Kept as text.`,
    });
    option.values.push(unmark(source, value));
  } else {
    if (!parsed.literal) {
      notes.add({
        line,
        code: 'not-an-option',
        message: `\`${written}\` is a sweep or a function of Hydra; kept as text.`,
      });
    }
    option.values.push(unmarked(parsed.value, value));
  }
  noteUnknown(option.spelling, splitValue(value, '=')?.after ?? value, line, notes);
  if (glob) noteGlob(written, line, notes);
  return option;
}

function unmark(text: string, value: Value): string {
  return text.replaceAll(/\uE000(\d+)\uE001/g, (mark, index: string) => {
    const piece = value[Number(index)];
    return piece && isUnknown(piece) ? piece.unknown : mark;
  });
}

function unmarked(parsed: ImportValue, value: Value): ImportValue {
  if (typeof parsed === 'string') return unmark(parsed, value);
  if (Array.isArray(parsed)) return parsed.map((each) => unmarked(each, value));
  if (parsed === null || typeof parsed !== 'object') return parsed;
  return Object.fromEntries(
    Object.entries(parsed).map(([key, each]) => [unmark(key, value), unmarked(each, value)]),
  );
}
