import { type Word as AstWord, parse } from 'unbash';
import type { Run } from './run.ts';

/** `{a,b}` and `{1..4}` make several words of one before anything else is expanded. */
export function braceWords(run: Run, word: AstWord, line: number): AstWord[] | undefined {
  // Finding the groups looks at every `{` as a beginning.
  if (word.text.length > 5_000) return undefined;
  run.budget.spend('steps', Math.floor(word.text.length ** 2 / 1000), line);
  const texts = alternatives(run, word.text, line);
  return texts.flatMap((text) => {
    const command = parse(`: ${text}`).commands[0]?.command;
    if (command?.type !== 'Command') return [];
    return command.suffix.flatMap((each) => (each.type === 'Word' ? [each] : []));
  });
}

function alternatives(run: Run, text: string, line: number): string[] {
  return run.budget.nested(line, () => {
    const brace = findBrace(text);
    if (!brace) return [text];
    const { before, choices, after } = brace;
    const tails = alternatives(run, after, line);
    const made = choices.flatMap((choice) =>
      (choice.nested ? alternatives(run, choice.text, line) : [choice.text]).flatMap((middle) =>
        tails.map((tail) => before + middle + tail),
      ),
    );
    run.budget.check('items', made.length, line);
    run.budget.spend('characters', made.length * text.length, line);
    return made;
  });
}

type Brace = { before: string; choices: { text: string; nested: boolean }[]; after: string };

/** The first brace group outside quotes and `${…}`. */
function findBrace(text: string): Brace | undefined {
  for (let start = 0; start < text.length; start = skip(text, start)) {
    if (text[start] !== '{') continue;
    const commas: number[] = [];
    let depth = 0;
    let end = -1;
    for (let at = start; at < text.length; at = skip(text, at)) {
      if (text[at] === '{') depth += 1;
      else if (text[at] === ',' && depth === 1) commas.push(at);
      else if (text[at] === '}' && --depth === 0) {
        end = at;
        break;
      }
    }
    if (end < 0) continue;
    const before = text.slice(0, start);
    const after = text.slice(end + 1);
    const inner = text.slice(start + 1, end);
    if (commas.length > 0) {
      const borders = [start, ...commas, end];
      const choices = borders.slice(1).map((border, i) => ({
        text: text.slice((borders[i] ?? 0) + 1, border),
        nested: true,
      }));
      return { before, choices, after };
    }
    const range = sequence(inner);
    if (range) return { before, choices: range.map((each) => ({ text: each, nested: false })), after };
  }
  return undefined;
}

/** The next place after a character, a quoted text or an expansion. */
function skip(text: string, at: number): number {
  const char = text[at];
  if (char === '\\') return at + 2;
  if (char === "'" || char === '"' || char === '`') {
    let end = at + 1;
    while (end < text.length && text[end] !== char) end += text[end] === '\\' && char !== "'" ? 2 : 1;
    return end + 1;
  }
  if (char === '$' && (text[at + 1] === '{' || text[at + 1] === '(')) {
    const [open, close] = text[at + 1] === '{' ? ['{', '}'] : ['(', ')'];
    let depth = 0;
    for (let end = at + 1; end < text.length; end++) {
      if (text[end] === open) depth += 1;
      else if (text[end] === close && --depth === 0) return end + 1;
    }
    return text.length;
  }
  return at + 1;
}

function sequence(inner: string): string[] | undefined {
  const numbers = /^(-?\d{1,6})\.\.(-?\d{1,6})(?:\.\.(-?\d{1,6}))?$/.exec(inner);
  const letters = /^([A-Za-z])\.\.([A-Za-z])$/.exec(inner);
  const from = numbers ? Number(numbers[1]) : letters?.[1]?.charCodeAt(0);
  const to = numbers ? Number(numbers[2]) : letters?.[2]?.charCodeAt(0);
  if (from === undefined || to === undefined) return undefined;
  const step = Math.max(1, Math.abs(Number(numbers?.[3] ?? 1)));
  const count = Math.min(Math.floor(Math.abs(to - from) / step) + 1, 20_000);
  const width = numbers && /^-?0\d/.test(`${numbers[1]}`) ? (numbers[1] ?? '').length : 0;
  return Array.from({ length: count }, (_, i) => {
    const each = from + (to >= from ? i : -i) * step;
    return numbers ? String(each).padStart(width, '0') : String.fromCharCode(each);
  });
}
