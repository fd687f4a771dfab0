import { printable } from '../views/words.ts';

const esc = '\u001b';
/** What stands behind an escape. Colours and the like pass; all else moves, erases, renames or asks something. */
const colour = /^\[[\d;:]*m/;
const sequence = /^(?:\[[0-?]*[ -/]*[@-~]|\]\P{Cc}*\p{Cc}\\?|[ -/]*[0-Z\\^-~])/u;
/** A sequence that is longer than this and not over is none. */
const longest = 256;

/** A trainer's output made safe for a terminal, piece by piece: text, line ends, tabs and colours pass. */
export class TerminalSafe {
  readonly #decoder = new TextDecoder('utf-8');
  readonly #colours: boolean;
  #held = '';

  constructor(colours = true) {
    this.#colours = colours;
  }

  feed(chunk: Uint8Array): string {
    return this.#pass(this.#decoder.decode(chunk, { stream: true }));
  }

  rest(): string {
    const left = this.#pass(this.#decoder.decode());
    const held = this.#held;
    this.#held = '';
    return left + printable(held);
  }

  #pass(text: string): string {
    let open = this.#held + text;
    this.#held = '';
    const out: string[] = [];
    for (;;) {
      const at = open.indexOf(esc);
      if (at === -1) return [...out, plain(open)].join('');
      out.push(plain(open.slice(0, at)));
      open = open.slice(at + 1);
      const [found] = sequence.exec(open) ?? [];
      if (found === undefined && open.length < longest) {
        this.#held = `${esc}${open}`;
        return out.join('');
      }
      if (this.#colours && found !== undefined && colour.test(found)) out.push(`${esc}${found}`);
      open = open.slice(found?.length ?? 0);
    }
  }
}

/** A line of text without anything that a terminal would obey, colours included. */
export function colourless(line: string): string {
  const safe = new TerminalSafe(false);
  return (safe.feed(Buffer.from(line)) + safe.rest()).replaceAll('\r', ' ');
}

/** A carriage return is how a bar is drawn over. */
function plain(text: string): string {
  return text.split('\r').map(printable).join('\r');
}
