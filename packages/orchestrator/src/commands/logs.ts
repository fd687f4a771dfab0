import { exitCodes } from '../errors.ts';
import { openHome } from '../home.ts';
import { bytesOf, followAll } from '../logs/follow-all.ts';
import { linePrinter, writeAll } from '../logs/line-printer.ts';
import { type LogSource, membersOf, nameOf, tailStart } from '../logs/log-sources.ts';
import { pickAttempt } from '../logs/pick-attempt.ts';
import { TerminalSafe } from '../logs/terminal-safe.ts';
import { readRecorded } from '../session.ts';
import { openTarget } from '../targets/open-target.ts';
import { oneLine } from '../views/words.ts';

export type LogsOptions = {
  home?: string;
  study?: string;
  follow: boolean;
  attempt?: number;
  node?: string;
  rank?: number;
  service?: 'ray';
  all: boolean;
  from?: number;
  tail?: number;
  json: boolean;
};

/** `her logs [JOB] [-f]`: one log of an attempt to the byte, or all of them line by line. */
export async function logs(wanted: string | undefined, options: LogsOptions): Promise<number> {
  const home = openHome(options.home);
  const { name: study, plan, state, home: places } = await readRecorded(home, options.study);
  const { attempt } = pickAttempt(plan, state, wanted, options.attempt);
  const letGo = new AbortController();
  const onSignal = (): void => letGo.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  const target = openTarget(home, places, plan);
  const say = (text: string): void => {
    process.stderr.write(`${oneLine(text)}\n`);
  };
  const common = { follow: options.follow, open: attempt.ended === null, signal: letGo.signal, say };
  try {
    const members = membersOf(target, attempt, options.node);
    if (options.all || options.json) {
      const failure = await followAll(members, {
        ...common,
        tail: options.tail ?? null,
        line: options.json ? jsonLine : prefixed(members.length),
      });
      if (failure !== null && !letGo.signal.aborted) throw failure;
    } else {
      const [first] = members;
      if (first === undefined) throw new TypeError('an attempt without a node');
      const source = { ...first, log: options.service ?? options.rank ?? 0 };
      if (members.length > 1 && options.node === undefined)
        say(
          `${first.node.name}/${nameOf(source.log)}, of ${members.length} nodes; --all shows them together`,
        );
      const start = options.from ?? (options.tail === undefined ? 0 : await tailStart(source, options.tail));
      const position = { bytes: start };
      await copyLog(source, position, common).finally(() => {
        if (!letGo.signal.aborted) return;
        const words = resumeWords({ study, attempt: attempt.id, source }, position.bytes);
        say(`stopped at byte ${position.bytes}: ${words}`);
      });
    }
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
    await target.close();
  }
  return letGo.signal.aborted ? exitCodes.detached : exitCodes.done;
}

/** To a terminal without what it would obey; elsewhere every byte as it was written. */
async function copyLog(
  source: LogSource,
  position: { bytes: number },
  options: Parameters<typeof bytesOf>[2],
): Promise<void> {
  const safe = process.stdout.isTTY ? new TerminalSafe() : null;
  for await (const chunk of bytesOf(source, position.bytes, options)) {
    await writeAll(process.stdout, safe === null ? chunk : safe.feed(chunk));
    position.bytes += chunk.length;
  }
  if (safe !== null) await writeAll(process.stdout, safe.rest());
}

function prefixed(nodes: number): Parameters<typeof followAll>[1]['line'] {
  const print = linePrinter(process.stdout);
  return ({ node, log, text }) => print(nodes > 1 ? `${node}/${nameOf(log)}` : nameOf(log), text);
}

const jsonLine: Parameters<typeof followAll>[1]['line'] = async ({ node, log, at, text }) => {
  const which = typeof log === 'number' ? { rank: log } : { service: log };
  await writeAll(process.stdout, `${JSON.stringify({ node, ...which, byte: at, text })}\n`);
};

function resumeWords(
  { study, attempt, source }: { study: string; attempt: string; source: LogSource },
  byte: number,
): string {
  const which = typeof source.log === 'number' ? `--rank ${source.log}` : `--service ${source.log}`;
  return `her logs ${attempt} --study ${study} --node ${source.node.name} ${which} -f --from ${byte}`;
}
