import { createHash, randomBytes } from 'node:crypto';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import ssh2 from 'ssh2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openConnection, usualTiming } from './connection.ts';
import { dialDirectly } from './dial.ts';
import { readConfig } from './resolve.ts';
import { seeHostKeys } from './see-host-keys.ts';
import { known, someKey } from './testing-keys.ts';

const pair = ssh2.utils.generateKeyPairSync('ed25519');
const parsed = ssh2.utils.parseKey(pair.public);
if (parsed instanceof Error) throw parsed;
const hostKey = parsed.getPublicSSH();
const big = randomBytes(12_000_000);
const nobody = { get: async () => undefined };
const timing = { ...usualTiming, handshakeMs: 1500 };

let server: Server | undefined;
let sockets: Socket[] = [];
let asked = 0;
beforeEach(() => {
  asked = 0;
  sockets = [];
});
afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => (server === undefined ? resolve(undefined) : server.close(resolve)));
});

/** A server that lets everybody in and answers each command with the same bytes. */
function listening(): Server {
  const ssh = new ssh2.Server({ hostKeys: [pair.private] }, (client) => {
    client.on('error', () => undefined);
    client.on('authentication', (context) => {
      asked += 1;
      context.accept();
    });
    client.on('session', (accept) => {
      accept().on('exec', (take) => {
        const channel = take();
        channel.write(big, () => {
          channel.exit(0);
          channel.end();
        });
      });
    });
  });
  return createServer((socket) => ssh.injectSocket(socket));
}

async function on(made: Server) {
  server = made;
  made.on('connection', (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => made.listen(0, '127.0.0.1', resolve));
  const address = made.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return readConfig(
    'h1',
    new Map([
      ['hostname', ['127.0.0.1']],
      ['port', [String(port)]],
      ['user', ['her']],
      ['identityagent', ['none']],
    ]),
  );
}
const host = (key: Buffer) => ({ name: 'h1', keys: [known(key)], atUsualPort: [] });

describe('a connection', () => {
  it('brings all bytes to a reader that is late, though more are on their way than ssh2 would have', async () => {
    const config = await on(listening());
    const connection = await openConnection(config, host(hostKey), dialDirectly, nobody, timing);
    const channel = await connection.exec('anything');
    const hash = createHash('sha256');
    let size = 0;
    const ended = new Promise((resolve) => channel.once('end', resolve));
    for (const pause of [300, 50, 50]) {
      channel.pause();
      await sleep(pause);
      channel.on('data', (chunk: Buffer) => {
        size += chunk.length;
        hash.update(chunk);
      });
      channel.resume();
      await sleep(1);
      channel.pause();
      channel.removeAllListeners('data');
    }
    channel.on('data', (chunk: Buffer) => {
      size += chunk.length;
      hash.update(chunk);
    });
    channel.resume();
    await ended;
    expect(size).toBe(big.length);
    expect(hash.digest('hex')).toBe(createHash('sha256').update(big).digest('hex'));
    connection.close();
  });

  it('asks to be let in only where the key is known', async () => {
    const config = await on(listening());
    const opening = openConnection(config, host(someKey()), dialDirectly, nobody, timing);
    await expect(opening).rejects.toMatchObject({ code: 'HOST_KEY_CHANGED' });
    expect(asked).toBe(0);
  });

  it('sees the key of a host without asking to be let in', async () => {
    const config = await on(listening());
    expect(await seeHostKeys(config, dialDirectly)).toEqual([hostKey]);
    expect(asked).toBe(0);
  });

  it('gives a server that says nothing its time, and no more', async () => {
    const config = await on(createServer(() => undefined));
    const opening = openConnection(config, host(hostKey), dialDirectly, nobody, {
      ...timing,
      handshakeMs: 100,
    });
    await expect(opening).rejects.toMatchObject({
      code: 'AGENT_UNREACHABLE',
      message: expect.stringContaining('no answer to the start of SSH'),
    });
  });

  it('waits for a banner that comes late', async () => {
    const ssh = listening();
    const config = await on(
      createServer((socket) => {
        socket.pause();
        setTimeout(() => ssh.emit('connection', socket), 600);
      }),
    );
    const connection = await openConnection(config, host(hostKey), dialDirectly, nobody, timing);
    connection.close();
  });

  it('is told apart from what is no SSH', async () => {
    const config = await on(createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')));
    await expect(openConnection(config, host(hostKey), dialDirectly, nobody, timing)).rejects.toMatchObject({
      name: 'HerError',
    });
  });
});
