/** Lines that are said now and sent as the other side takes them. */
export class LineQueue implements AsyncIterable<string> {
  #lines: string[] = [];
  #ended = false;
  #wake: () => void = () => undefined;

  say(message: object): void {
    this.#lines.push(JSON.stringify(message));
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<string> {
    while (true) {
      const line = this.#lines.shift();
      if (line !== undefined) yield line;
      else if (this.#ended) return;
      else
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
    }
  }
}
