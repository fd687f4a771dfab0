/** What a command needs a channel for: a `run` ends soon, a `stream` may take days. */
export type Use = 'run' | 'stream';

export type Slot<C> = {
  connection: C;
  /** The server refused a channel, though the connection stands: fewer are asked of it from now on. */
  refused(): void;
  release(): void;
};

type Lane<C> = { connection: C; most: number; runs: number; streams: number };

export type Lanes<C> = {
  take(use: Use): Promise<Slot<C>>;
  /** Wakes those who wait, after a connection broke or the last was let go. */
  wake(): void;
};

/**
 * Channels on as few connections as the server's limit of sessions allows: one connection, unless streams have taken
 * what it has. A stream leaves a place for runs, so that the state of a job can be asked while its logs are followed.
 * @param open opens one connection more
 * @param isLost whether a connection is of no use any more
 */
export function openLanes<C>(
  open: () => Promise<C>,
  isLost: (connection: C) => boolean,
  { channels = 8, connections = 8 }: { channels?: number; connections?: number } = {},
): Lanes<C> {
  let lanes: Lane<C>[] = [];
  let opening: Promise<void> | undefined;
  let waiting: (() => void)[] = [];
  /** What the server has shown that it allows. */
  let allowed = channels;

  const wake = (): void => {
    const woken = waiting;
    waiting = [];
    for (const go of woken) go();
  };
  const hasRoom = (lane: Lane<C>, use: Use): boolean =>
    lane.runs + lane.streams < lane.most &&
    (use === 'run' || lane.most === 1 || lane.streams < lane.most - 1);
  const worthOpening = (use: Use): boolean =>
    lanes.length === 0 ||
    (lanes.length < connections && (use === 'stream' || lanes.every(({ runs }) => runs === 0)));
  const openOne = async (): Promise<void> => {
    // Awaited first: `lanes` is another array by then.
    const connection = await open();
    lanes.push({ connection, most: allowed, runs: 0, streams: 0 });
  };

  const take = async (use: Use): Promise<Slot<C>> => {
    for (;;) {
      lanes = lanes.filter(({ connection }) => !isLost(connection));
      const lane = lanes.find((one) => hasRoom(one, use));
      if (lane !== undefined) return slotOf(lane, use);
      if (worthOpening(use)) {
        opening ??= openOne().finally(() => {
          opening = undefined;
          wake();
        });
        await opening;
      } else await new Promise<void>((resolve) => waiting.push(resolve));
    }
  };
  const slotOf = (lane: Lane<C>, use: Use): Slot<C> => {
    const count = use === 'run' ? 'runs' : 'streams';
    lane[count] += 1;
    let held = true;
    const release = (): void => {
      if (!held) return;
      held = false;
      lane[count] -= 1;
      wake();
    };
    return {
      connection: lane.connection,
      refused: () => {
        const others = lane.runs + lane.streams - 1;
        if (others > 0) {
          lane.most = Math.min(lane.most, others);
          allowed = Math.min(allowed, others);
        }
        release();
      },
      release,
    };
  };
  return { take, wake };
}
