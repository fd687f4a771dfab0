import { createInterface } from 'node:readline';

/** Whether a person is there to answer. */
export function canAsk(): boolean {
  return process.stdin.isTTY === true && process.stderr.isTTY === true;
}

/** A line that is not shown while it is typed; undefined where the person let go (Ctrl-C, Ctrl-D). */
export async function askSecret(prompt: string): Promise<string | undefined> {
  const { stdin, stderr } = process;
  stderr.write(prompt);
  stdin.setRawMode(true);
  stdin.resume();
  try {
    let typed = '';
    for (;;) {
      const bytes = await new Promise<Buffer>((resolve) => stdin.once('data', resolve));
      for (const character of bytes.toString('utf8')) {
        if (character === '\r' || character === '\n') return typed;
        if (character === '\u0003' || (character === '\u0004' && typed === '')) return undefined;
        typed = character === '\u007f' || character === '\b' ? typed.slice(0, -1) : typed + character;
      }
    }
  } finally {
    stdin.setRawMode(false);
    stdin.pause();
    stderr.write('\n');
  }
}

/** A line that a person types; undefined where the input ends. */
export async function askLine(prompt: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise((resolve) => {
      lines.once('close', () => resolve(undefined));
      lines.question(prompt, resolve);
    });
  } finally {
    lines.close();
  }
}
