import { openLedger } from './ledger.ts';
import { metrics, ORIGIN } from './testing.ts';

/**
 * A process for the crash and lock tests: `testing-writer.ts DIR KEYFILE append|hold`.
 * Prints `open`, then `ack <first> <last>` for each append that resolved; or `refused <code>`.
 */
const [dir = '', keyFile = '', mode = 'append'] = process.argv.slice(2);

try {
  const ledger = await openLedger({
    dir,
    keyFile,
    origin: ORIGIN,
    segmentEntries: 70,
    checkpointSeconds: 0.03,
  });
  console.log('open');
  if (mode === 'hold') await new Promise((resolve) => setTimeout(resolve, 600));
  else await appendForever(ledger);
  await ledger.close();
} catch (error) {
  console.log(`refused ${error instanceof Error && 'code' in error ? String(error.code) : String(error)}`);
}

async function appendForever(ledger: Awaited<ReturnType<typeof openLedger>>): Promise<void> {
  for (let round = 0; ; round += 1) {
    const blob = await ledger.putBlob(`round ${round} of ${process.pid}`);
    await Promise.all(
      [1, 1 + (round % 90), 3].map(async (count) => {
        const note = {
          kind: 'note',
          study: 'tiny',
          text: blob,
          data: { padding: 'x'.repeat(count * 40) },
        } as const;
        const entries = await ledger.append([...metrics(count), note]);
        console.log(`ack ${entries[0]?.i} ${entries.at(-1)?.i}`);
      }),
    );
  }
}
