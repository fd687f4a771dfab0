import { connect, createServer, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { DelayLine } from './delay-line.ts';

/**
 * Stands in front of a host's sshd and delays both directions: `node relay.ts ADDRESS:PORT ADDRESS:PORT SOCKET MS`.
 * A stand-in for netem, which not every kernel has: it delays the bytes of a TCP connection, not packets, so nothing is
 * lost or reordered, and a handshake is answered at once.
 * SOCKET takes lines of JSON (`delayMs`, `paused`) and answers each with what holds now.
 */
const [from = '', to = '', control = '', ms = ''] = process.argv.slice(2);
const state = { delayMs: Number(ms), paused: false };
const pumps = new Set<() => void>();
const most = 4 * 1024 * 1024;

function address(text: string): { host: string; port: number } {
  const colon = text.lastIndexOf(':');
  return { host: text.slice(0, colon), port: Number(text.slice(colon + 1)) };
}

/** What goes on in a direction: bytes, the end of them, or that the connection is gone, well or badly. */
type Item = Buffer | 'end' | 'done' | 'lost';

/** One direction of one connection. */
function carry(source: Socket, sink: Socket): void {
  const line = new DelayLine<Item>();
  let held = 0;
  let timer: NodeJS.Timeout | undefined;
  const pump = (): void => {
    clearTimeout(timer);
    if (state.paused) return;
    for (const item of line.take(performance.now())) {
      if (typeof item === 'string') {
        if (item === 'lost') sink.destroy();
        else sink.end();
        if (item !== 'end') pumps.delete(pump);
      } else {
        held -= item.length;
        sink.write(item);
      }
    }
    if (held < most && !sink.writableNeedDrain) source.resume();
    if (line.next !== null) timer = setTimeout(pump, Math.max(0, line.next - performance.now()));
  };
  const push = (item: Item): void => {
    line.push(item, performance.now(), state.delayMs);
    pump();
  };
  pumps.add(pump);
  sink.on('drain', pump);
  source.on('data', (chunk: Buffer) => {
    held += chunk.length;
    if (held >= most || sink.writableNeedDrain) source.pause();
    push(chunk);
  });
  source.on('end', () => push('end'));
  source.on('close', (failed) => push(failed ? 'lost' : 'done'));
  // 'close' follows with what matters: that it failed.
  source.on('error', () => undefined);
}

createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
  const server = connect({ ...address(to), allowHalfOpen: true, noDelay: true });
  carry(client, server);
  carry(server, client);
}).listen(address(from));

createServer((socket) => {
  createInterface({ input: socket }).on('line', (text) => {
    Object.assign(state, JSON.parse(text));
    for (const pump of pumps) pump();
    socket.write(`${JSON.stringify(state)}\n`);
  });
  socket.on('error', () => undefined);
}).listen(control);
