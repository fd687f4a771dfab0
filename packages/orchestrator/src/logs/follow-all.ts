import { HerError } from '../errors.ts';
import { pause } from '../reconcile/pause.ts';
import { clock, oneLine } from '../views/words.ts';
import { LineCutter } from './line-cutter.ts';
import { type LogName, type LogSource, logsOn, type Member, nameOf, tailStart } from './log-sources.ts';
import { steadyBytes } from './steady-bytes.ts';

export type LineOf = { node: string; log: LogName; at: number; text: string };

export type FollowOptions = {
  follow: boolean;
  /** Whether the attempt has not ended by the record: then one that has not begun is waited for. */
  open: boolean;
  signal: AbortSignal;
  /** Only the last lines of each log; null: all. */
  tail: number | null;
  line(line: LineOf): Promise<void>;
  say(text: string): void;
};

/** Milliseconds between two looks at progress bars. */
const barEvery = 2_000;

/**
 * Every log of an attempt, line by line, side by side; a node that cannot be reached holds up no other. Gives the first
 * error, where a log could not be read to its end.
 */
export async function followAll(
  members: readonly Member[],
  options: FollowOptions,
): Promise<HerError | null> {
  const failures: HerError[] = [];
  const follow = async (member: Member): Promise<void> => {
    try {
      const logs = await knownLogs(member, options);
      // Without following there is no order between logs but their own.
      if (options.follow) await Promise.all(logs.map((log) => followOne({ ...member, log }, options)));
      else for (const log of logs) await followOne({ ...member, log }, options);
    } catch (error) {
      if (!(error instanceof HerError)) throw error;
      failures.push(error);
      options.say(`${member.node.name}: ${error.message}`);
    }
  };
  if (options.follow) await Promise.all(members.map(follow));
  else for (const member of members) await follow(member);
  return failures[0] ?? null;
}

async function followOne(source: LogSource, options: FollowOptions): Promise<void> {
  const { node, log } = source;
  const from = options.tail === null ? 0 : await tailStart(source, options.tail);
  const cutter = new LineCutter(from);
  const put = async (lines: readonly { text: string; at: number }[]): Promise<void> => {
    for (const { text, at } of lines) await options.line({ node: node.name, log, at, text });
  };
  const bar = setInterval(() => {
    const shown = cutter.progress();
    if (shown !== undefined) void put([shown]);
  }, barEvery);
  try {
    for await (const chunk of bytesOf(source, from, options)) await put(cutter.feed(chunk));
    await put(cutter.rest());
  } finally {
    clearInterval(bar);
  }
}

/** Waits for a node to be reached and the attempt to begin there, as long as it is followed. */
async function knownLogs(member: Member, { follow, open, signal, say }: FollowOptions): Promise<LogName[]> {
  let lost = false;
  let waits = false;
  while (!signal.aborted) {
    try {
      const logs = await logsOn(member);
      if (logs.length > 0) return logs;
      if (!follow || !open) return [0];
      if (!waits) say(`${member.node.name}: it has not begun there; waiting`);
      waits = true;
    } catch (error) {
      if (!follow || !(error instanceof HerError) || error.code !== 'AGENT_UNREACHABLE') throw error;
      if (!lost) say(lostWords(member.node.name, new Date(), error.message));
      lost = true;
    }
    await pause(1_000, signal);
  }
  return [];
}

/** The bytes of one log; what happens on the way is said in the node's name. */
export function bytesOf(
  { node, id, log }: LogSource,
  from: number,
  { follow, open, signal, say }: Pick<FollowOptions, 'follow' | 'open' | 'signal' | 'say'>,
): AsyncGenerator<Uint8Array> {
  const label = `${node.name}/${nameOf(log)}`;
  return steadyBytes({
    open: (at) => node.log(id, log, at, follow, signal),
    reach: () => node.status(id),
    from,
    patient: follow,
    signal,
    lost: (since, why) => say(lostWords(label, since, why)),
    back: () => say(`${label}: reached again; goes on where it was`),
    unbegun: () => say(open ? `${label}: it has not begun there; waiting` : `${label}: nothing is there`),
  });
}

function lostWords(label: string, since: Date, why: string): string {
  return oneLine(`${label}: unknown since ${clock(since)} (${why}); goes on when it is back`);
}
