/** A line as a terminal would leave it, and the byte of the log that it begins at. */
export type Line = { text: string; at: number };

/** A line without an end is cut here, so that a log of one line does not stay in memory. */
const longest = 64 * 1024;
const newline = 10;
const carriageReturn = 13;

/**
 * Cuts a log into lines. What a carriage return is written over (a progress bar's former states) is left out; the
 * state that a bar is in can be looked at while its line is open.
 */
export class LineCutter {
  #held: Buffer[] = [];
  #size = 0;
  /** What the segment after the last carriage return writes over. */
  #behind = '';
  #moved = false;
  #shown = '';
  #start: number;
  #at: number;

  constructor(from: number) {
    this.#start = from;
    this.#at = from;
  }

  /** The lines that `chunk` completes. */
  feed(chunk: Uint8Array): Line[] {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const lines: Line[] = [];
    let from = 0;
    for (let i = 0; i < bytes.length; i += 1) {
      const byte = bytes[i];
      if (byte !== newline && byte !== carriageReturn) {
        if (this.#size + i - from >= longest && isStart(byte)) {
          this.#hold(bytes.subarray(from, i));
          lines.push(this.#end(this.#at + i));
          from = i;
        }
        continue;
      }
      this.#hold(bytes.subarray(from, i));
      from = i + 1;
      if (byte === newline) lines.push(...this.#unlessShown(this.#end(this.#at + from)));
      else this.#return();
    }
    this.#hold(bytes.subarray(from));
    this.#at += bytes.length;
    return lines;
  }

  /** What a bar shows now, where that changed since it was last looked at. */
  progress(): Line | undefined {
    const text = this.#moved ? this.#visible() : '';
    if (text === '' || text === this.#shown) return undefined;
    this.#shown = text;
    return { text, at: this.#start };
  }

  /** The last line, where the log ends without a newline. */
  rest(): Line[] {
    return this.#size === 0 && this.#behind === '' ? [] : this.#unlessShown(this.#end(this.#at));
  }

  #hold(part: Buffer): void {
    if (part.length === 0) return;
    // The chunk belongs to whoever gave it.
    this.#held.push(Buffer.from(part));
    this.#size += part.length;
  }

  #visible(): string {
    return this.#size === 0 ? this.#behind : Buffer.concat(this.#held).toString('utf8');
  }

  #return(): void {
    this.#behind = this.#visible();
    this.#moved = true;
    this.#held = [];
    this.#size = 0;
  }

  #end(next: number): Line & { moved: boolean; shown: string } {
    const line = { text: this.#visible(), at: this.#start, moved: this.#moved, shown: this.#shown };
    this.#held = [];
    this.#size = 0;
    this.#behind = '';
    this.#moved = false;
    this.#shown = '';
    this.#start = next;
    return line;
  }

  #unlessShown({ text, at, moved, shown }: Line & { moved: boolean; shown: string }): Line[] {
    return moved && text === shown && text !== '' ? [] : [{ text, at }];
  }
}

/** Whether a byte begins a character of UTF-8. */
function isStart(byte: number | undefined): boolean {
  return ((byte ?? 0) & 0xc0) !== 0x80;
}
