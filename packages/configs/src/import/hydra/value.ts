import type { ImportValue } from '../trainer-command.ts';

/** What Hydra's grammar makes of a value, or why it refuses it. `literal: false`: a sweep or a function, as text. */
export type ParsedValue = { value: ImportValue; literal: boolean } | { error: string };

const maxDepth = 60;

class Refused extends Error {}

/** Reads the right side of an override: quoted and bare text, numbers, `null`, booleans, lists, mappings. */
export function parseHydraValue(source: string): ParsedValue {
  const reader = new Reader(source);
  try {
    return reader.whole();
  } catch (error) {
    if (error instanceof Refused) return { error: error.message };
    throw error;
  }
}

class Reader {
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  whole(): ParsedValue {
    if (this.#source.trim() === '') return { value: '', literal: true };
    if (/^\s*[A-Za-z_]\w*\(/.test(this.#source)) return { value: this.#source, literal: false };
    const value = this.#element(0, '');
    this.#blanks();
    if (this.#peek() === ',') return { value: this.#source, literal: false };
    if (this.#at < this.#source.length)
      throw new Refused(`unexpected \`${this.#peek()}\` at character ${this.#at + 1}`);
    return { value, literal: true };
  }

  #peek(): string {
    return this.#source[this.#at] ?? '';
  }

  #blanks(): void {
    while (this.#peek() === ' ' || this.#peek() === '\t') this.#at += 1;
  }

  #element(depth: number, end: string): ImportValue {
    if (depth > maxDepth) throw new Refused('it is nested too deeply');
    this.#blanks();
    const char = this.#peek();
    if (char === '[') return this.#list(depth);
    if (char === '{') return this.#mapping(depth);
    if (char === "'" || char === '"') return this.#quoted(char);
    const text = this.#bareText(`,${end}`);
    if (text.text === '') throw new Refused(`a value is missing at character ${this.#at + 1}`);
    return bare(text);
  }

  #list(depth: number): ImportValue[] {
    const items: ImportValue[] = [];
    this.#at += 1;
    this.#blanks();
    if (this.#take(']')) return items;
    for (;;) {
      items.push(this.#element(depth + 1, ']'));
      this.#blanks();
      if (this.#take(']')) return items;
      this.#expect(',');
    }
  }

  #mapping(depth: number): ImportValue {
    const entries: [string, ImportValue][] = [];
    this.#at += 1;
    this.#blanks();
    if (this.#take('}')) return {};
    for (;;) {
      this.#blanks();
      const char = this.#peek();
      const key = char === "'" || char === '"' ? this.#quoted(char) : this.#bareText(':,}').text;
      if (key === '') throw new Refused('a key is missing');
      this.#blanks();
      this.#expect(':');
      entries.push([key, this.#element(depth + 1, '}')]);
      this.#blanks();
      if (this.#take('}')) return Object.fromEntries(entries);
      this.#expect(',');
    }
  }

  #take(char: string): boolean {
    if (this.#peek() !== char) return false;
    this.#at += 1;
    return true;
  }

  #expect(char: string): void {
    if (!this.#take(char)) throw new Refused(`\`${char}\` is missing at character ${this.#at + 1}`);
  }

  /** Only backslashes right before a quote mean anything: half of them, and an odd one the quote itself. */
  #quoted(mark: string): string {
    let text = '';
    this.#at += 1;
    while (this.#at < this.#source.length) {
      let slashes = 0;
      while (this.#source[this.#at + slashes] === '\\') slashes += 1;
      const after = this.#source[this.#at + slashes] ?? '';
      this.#at += slashes + 1;
      if (after !== mark) text += '\\'.repeat(slashes) + after;
      else {
        text += '\\'.repeat(slashes >> 1);
        if (slashes % 2 === 0) return text;
        text += mark;
      }
    }
    throw new Refused(`the quote ${mark} is not closed`);
  }

  /** Text without quotes; a backslash takes the special meaning from the next character. */
  #bareText(ends: string): { text: string; escaped: boolean } {
    let text = '';
    let escaped = false;
    let kept = 0;
    while (this.#at < this.#source.length) {
      const char = this.#peek();
      const following = this.#source[this.#at + 1] ?? '';
      if (char === '\\' && following !== '' && '\\()[]{}:=, \t'.includes(following)) {
        text += following;
        escaped = true;
        kept = text.length;
        this.#at += 2;
      } else if (char === '$' && following === '{') text += this.#interpolation();
      else if (ends.includes(char)) break;
      else if (!bareCharacter.test(char)) throw new Refused(`\`${char}\` has to be quoted`);
      else {
        text += char;
        this.#at += 1;
      }
    }
    // Blanks at the end go, unless a backslash keeps them.
    let end = text.length;
    while (end > kept && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1;
    return { text: text.slice(0, end), escaped };
  }

  /** `${data.x}`, `${oc.env:HOME}`: Hydra resolves it later; here it is text. */
  #interpolation(): string {
    const from = this.#at;
    let depth = 0;
    for (; this.#at < this.#source.length; this.#at++) {
      if (this.#peek() === '{') depth += 1;
      else if (this.#peek() === '}' && --depth === 0) {
        this.#at += 1;
        return this.#source.slice(from, this.#at);
      }
    }
    throw new Refused('`${` is not closed');
  }
}

/** What Hydra takes outside quotes, and the marks of unknown pieces. */
const bareCharacter = /[\w/\-\\+.$%*@?|: \t\uE000\uE001]/;

const integer = /^[+-]?(?:0|[1-9](?:_?\d)*)$/;
const float =
  /^[+-]?(?:(?:(?:0|[1-9](?:_?\d)*)?\.\d(?:_?\d)*|(?:0|[1-9](?:_?\d)*)\.)(?:[eE][+-]?\d(?:_?\d)*)?|(?:0|[1-9](?:_?\d)*)[eE][+-]?\d(?:_?\d)*)$/;

/** A bare text is a number, a boolean or `null` if it reads as one; numbers that JSON lacks stay text. */
function bare({ text, escaped }: { text: string; escaped: boolean }): ImportValue {
  if (escaped) return text;
  if (/^null$/i.test(text)) return null;
  if (/^(true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  if (integer.test(text) || float.test(text)) {
    const number = Number(text.replaceAll('_', ''));
    const exact = !integer.test(text) || Number.isSafeInteger(number);
    return Number.isFinite(number) && exact ? number : text;
  }
  return text;
}
