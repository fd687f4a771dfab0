import type { Notes } from './note.ts';
import { isUnknown, known, spell, type Value, type Word } from './shell/value.ts';
import type { ConfigReference, TrainerOption } from './trainer-command.ts';
import { isOpen, setHint, splitValue, unknownPieces } from './unknown.ts';

/** The words after `swift sft`, as argparse reads them. */
export function swiftOptions(
  words: readonly Word[],
  notes: Notes,
): { options: TrainerOption[]; config: ConfigReference | null } {
  const [first] = words;
  const path = first && spell(first.value);
  const isConfig = path !== undefined && !path.startsWith('-') && /\.(ya?ml|json)$/.test(path);
  const config: ConfigReference | null = isConfig && first ? { kind: 'file', path, line: first.line } : null;
  const options: TrainerOption[] = [];
  let current: TrainerOption | undefined;
  for (const word of isConfig ? words.slice(1) : words) {
    const flag = flagOf(word.value);
    if (flag) {
      current = { ...flag, values: [], line: word.line, column: word.column, unknown: [] };
      options.push(current);
      if (flag.inline) addValue(current, flag.inline, word, notes);
      continue;
    }
    if (isOpen(word.value) && (!current || current.values.length > 0)) {
      const unknown = unknownPieces(word.value);
      const hint = setHint(unknown);
      notes.add({
        line: word.line,
        code: 'unknown-words',
        message: `\`${spell(word.value)}\` may stand for no word or for several, options among them; none was read.`,
        ...(hint ? { hint } : {}),
      });
    } else if (!current || /^--?[A-Za-z]\S*$/.test(spell(word.value))) {
      notes.add({
        line: word.line,
        code: 'not-an-option',
        message: `\`${spell(word.value)}\` is neither an option nor the value of one.`,
      });
    } else addValue(current, word.value, word, notes);
  }
  return { options: lastOfEach(options, notes), config };
}

type Flag = { name: string; spelling: string; inline?: Value };

/** `--name` or `--name=value`; what holds a blank, or looks like a negative number, is a value to argparse. */
function flagOf(value: Value): Flag | undefined {
  const assigned = splitValue(value, '=');
  const written = assigned && /^--[\w-]+$/.test(assigned.before) ? assigned.before : known(value);
  if (written === undefined || !/^--[A-Za-z][\w.-]*$/.test(written)) return undefined;
  const name = written.slice(2).replaceAll('-', '_');
  return written === assigned?.before
    ? { name, spelling: written, inline: assigned.after }
    : { name, spelling: written };
}

function addValue(option: TrainerOption, value: Value, { line, glob }: Word, notes: Notes): void {
  option.values.push(spell(value));
  option.unknown.push(...unknownPieces(value));
  noteUnknown(option.spelling, value, line, notes);
  if (glob) noteGlob(spell(value), line, notes);
}

export function noteGlob(written: string, line: number, notes: Notes): void {
  notes.add({
    line,
    code: 'file-names',
    message: `the shell would put the names of files in place of \`${written}\`.`,
  });
}

export function noteUnknown(spelling: string, value: Value, line: number, notes: Notes): void {
  if (!value.some(isUnknown)) return;
  const hint = setHint(unknownPieces(value));
  notes.add({
    line,
    code: 'unknown-value',
    message: `the value of \`${spelling}\` is not known: \`${spell(value)}\`.`,
    ...(hint ? { hint } : {}),
  });
}

/** Of an option given several times the last one counts. */
export function lastOfEach(options: readonly TrainerOption[], notes: Notes): TrainerOption[] {
  const last = new Map<string, TrainerOption>();
  for (const option of options) {
    const key = `${option.action === 'delete' ? '~' : ''}${option.name}@${option.package ?? ''}`;
    const before = last.get(key);
    if (before) {
      notes.add({
        line: before.line,
        code: 'repeated',
        message: `\`${before.spelling}\` is given again on line ${option.line}, and the last one counts.`,
      });
      last.delete(key);
    }
    // `+k=1 k=2` adds the key: the second one alone would not.
    last.set(
      key,
      before?.action === 'add' && option.action === 'set' ? { ...option, action: 'add' } : option,
    );
  }
  return [...last.values()];
}
