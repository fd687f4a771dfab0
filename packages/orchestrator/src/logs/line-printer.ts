import { styleText } from 'node:util';
import { colourless } from './terminal-safe.ts';

const palette = [
  'cyan',
  'yellow',
  'green',
  'magenta',
  'blue',
  'cyanBright',
  'yellowBright',
  'greenBright',
] as const;

/** Standard output, as far as this needs it. */
export type Out = NodeJS.WriteStream;

/** Writes whole lines with who said them before each; a label keeps its colour. */
export function linePrinter(out: Out): (label: string, text: string) => Promise<void> {
  const colours = new Map<string, (typeof palette)[number]>();
  let width = 0;
  return async (label, text) => {
    const colour = colours.get(label) ?? palette[colours.size % palette.length] ?? 'cyan';
    colours.set(label, colour);
    width = Math.max(width, label.length);
    const head = styleText(colour, `${label.padEnd(width)} |`, { stream: out });
    await writeAll(out, `${head} ${colourless(text)}\n`);
  };
}

/** Writes, and waits where the reader is slow. */
export async function writeAll(out: Out, data: string | Uint8Array): Promise<void> {
  if (!out.write(data)) await new Promise((resolve) => out.once('drain', resolve));
}
