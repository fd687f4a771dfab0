const secondsBetweenLines = 10;

export type Counted = {
  chunks: AsyncIterable<Uint8Array>;
  /** What the source threw. */
  readonly failure: unknown;
};

/** The same bytes, with a line on how many they are every few seconds. */
export function counted(
  source: AsyncIterable<Uint8Array>,
  total: number,
  label: string,
  say: (line: string) => void,
): Counted {
  let failure: unknown = null;
  const chunks = (async function* () {
    let done = 0;
    let said = Date.now();
    const begun = said;
    say(`${label}: sending ${sizeText(total)}`);
    try {
      for await (const chunk of source) {
        yield chunk;
        done += chunk.length;
        if (Date.now() - said < secondsBetweenLines * 1000) continue;
        said = Date.now();
        const rate = sizeText((done * 1000) / (said - begun));
        say(`${label}: ${sizeText(Math.min(done, total))} of ${sizeText(total)}, ${rate}/s`);
      }
    } catch (error) {
      failure = error;
      throw error;
    }
  })();
  return {
    chunks,
    get failure() {
      return failure;
    },
  };
}

export function sizeText(bytes: number): string {
  if (bytes >= 1e9) return `${(bytes / 1e9).toFixed(1)} GB`;
  return bytes >= 1e6 ? `${(bytes / 1e6).toFixed(1)} MB` : `${Math.ceil(bytes / 1e3)} kB`;
}
