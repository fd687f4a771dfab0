import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Notice } from './notice.ts';
import { type Notifier, openNotifier, type Told } from './notifier.ts';

type Handler = (request: IncomingMessage, response: ServerResponse, body: string) => void;

let server: Server;
let address = '';
let folder = '';
let bodies: { headers: IncomingMessage['headers']; body: Record<string, unknown> }[] = [];
let answer: Handler = (_request, response) => response.end('ok');
let said: string[] = [];
let told: Told[] = [];

beforeEach(async () => {
  [bodies, said, told] = [[], [], []];
  answer = (_request, response) => response.end('ok');
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      bodies.push({ headers: request.headers, body: JSON.parse(body) });
      answer(request, response, body);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/secret-part`;
  folder = await mkdtemp(join(tmpdir(), 'her-notify-'));
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true });
});

const failure: Notice = {
  key: 'ended a-1',
  of: ['failure'],
  study: 'tiny',
  job: { id: 'a', name: 'sft/11' },
  attempt: 'a-1',
  headline: 'sft/11 failed: <!channel> loss is NaN & more',
  next: 'her logs sft/11',
};

function open(
  specs: Parameters<typeof openNotifier>[0],
  before: string[] = [],
  signal?: AbortSignal,
): Notifier {
  return openNotifier(specs, {
    sources: {
      env: { HOOK: address },
      locate: (path) => path,
      say: (line) => said.push(line),
      signal: signal ?? new AbortController().signal,
    },
    told: new Set(before),
    remember: async (one) => {
      told.push(one);
    },
    backoff: 20,
  });
}

const hook = { webhook: { env: 'HOOK' }, on: ['failure', 'end'] as ('failure' | 'end')[] };

test('a webhook gets the message as JSON, with a text that Slack shows and nothing in it steers', async () => {
  const notifier = open([hook]);
  notifier.notify(failure);
  await notifier.settle();
  expect(bodies).toHaveLength(1);
  expect(bodies[0]?.headers['content-type']).toBe('application/json');
  expect(bodies[0]?.body).toMatchObject({
    text: 'tiny: sft/11 failed: &lt;!channel&gt; loss is NaN &amp; more\n→ her logs sft/11',
    event: 'failure',
    study: 'tiny',
    job: 'sft/11',
    attempt: 'a-1',
    headline: failure.headline,
    next: 'her logs sft/11',
    id: told[0]?.id,
  });
  expect(told).toMatchObject([{ to: 'webhook 1', delivered: true, of: ['failure'] }]);
  expect(said).toEqual([]);
});

test('each thing is told once, also after a restart, and only to those who want it', async () => {
  const notifier = open([hook, { ...hook, on: ['end'] }]);
  notifier.notify(failure);
  notifier.notify({ ...failure });
  notifier.notify({ ...failure, key: 'another', of: ['stall'] });
  await notifier.settle();
  expect(bodies).toHaveLength(1);
  const again = open([hook], [told[0]?.id ?? '']);
  again.notify(failure);
  again.notify({ ...failure, key: 'ended a-2' });
  await again.settle();
  expect(bodies).toHaveLength(2);
});

test('429 and 5xx are tried again, three times in all; what another try would not mend is not', async () => {
  const codes = [503, 429, 200];
  answer = (_request, response) => {
    response.statusCode = codes.shift() ?? 500;
    response.setHeader('retry-after', '0');
    response.end();
  };
  const notifier = open([hook]);
  notifier.notify(failure);
  await notifier.settle();
  expect(bodies).toHaveLength(3);
  expect(told).toMatchObject([{ delivered: true }]);

  notifier.notify({ ...failure, key: 'b' });
  await notifier.settle();
  expect(bodies).toHaveLength(6);
  answer = (_request, response) => {
    response.statusCode = 404;
    response.end();
  };
  notifier.notify({ ...failure, key: 'c' });
  await notifier.settle();
  expect(bodies).toHaveLength(7);
  expect(said).toEqual([
    'webhook 1 of `notify` could not be told: it answered 500',
    'webhook 1 of `notify` could not be told: it answered 404',
  ]);
  expect(told.slice(1)).toMatchObject([{ delivered: false }, { delivered: false, why: 'it answered 404' }]);
});

test('a redirect is not followed', async () => {
  let followed = 0;
  answer = (request, response) => {
    if (request.url === '/elsewhere') followed += 1;
    response.writeHead(307, { location: '/elsewhere' });
    response.end();
  };
  const notifier = open([hook]);
  notifier.notify(failure);
  await notifier.settle();
  expect(followed).toBe(0);
  expect(said).toEqual([
    'webhook 1 of `notify` could not be told: it answered 307, another address, which is not followed',
  ]);
});

test('an address that cannot be had, is none or leads nowhere fails nothing, and is not shown', async () => {
  await writeFile(join(folder, 'none'), 'not an address secret-part');
  await writeFile(join(folder, 'closed'), 'http://127.0.0.1:9/secret-part');
  const notifier = open([
    { webhook: { env: 'NOT_SET' }, on: ['failure'] },
    { webhook: { file: join(folder, 'none') }, on: ['failure'] },
    { webhook: { command: ['printf', 'http://127.0.0.1:1/secret-part'] }, on: ['failure'] },
    { webhook: 'http://no-such-host.invalid/secret-part', on: ['failure'] },
  ]);
  notifier.notify(failure);
  await notifier.settle();
  expect(said.filter((line) => line.includes('could not be told')).toSorted()).toEqual([
    'webhook 1 of `notify` could not be told: NOT_SET is not set here',
    'webhook 2 of `notify` could not be told: its address is no http:// or https:// address',
    expect.stringMatching(
      /^webhook 3 of `notify` could not be told: (connection refused|it cannot be reached)$/,
    ),
    expect.stringMatching(/^webhook 4 of `notify` could not be told: /),
  ]);
  expect(JSON.stringify([said, told])).not.toContain('secret-part');
});

test('a command gets the message on its standard input, without a shell and with few variables', async () => {
  const out = join(folder, 'out');
  process.env['NOT_FOR_IT'] = 'hidden';
  const script = `cat > ${out}; env > ${out}.env; printf %s "$1" > ${out}.word`;
  const notifier = open([{ command: ['sh', '-c', script, 'sh', '$HOME; *'], on: ['failure'] }]);
  notifier.notify(failure);
  await notifier.settle();
  delete process.env['NOT_FOR_IT'];
  expect(JSON.parse(await readFile(out, 'utf8'))).toMatchObject({
    headline: failure.headline,
    job: 'sft/11',
  });
  expect(await readFile(`${out}.word`, 'utf8')).toBe('$HOME; *');
  const variables = await readFile(`${out}.env`, 'utf8');
  expect(variables).toContain('PATH=');
  expect(variables).not.toContain('NOT_FOR_IT');
  expect(told).toMatchObject([{ to: 'command 1', delivered: true }]);
});

test('a command that fails or is not there is said, and is not run again', async () => {
  const out = join(folder, 'runs');
  const notifier = open([
    { command: ['sh', '-c', `echo run >> ${out}; exit 3`], on: ['failure'] },
    { command: ['no-such-program-of-ours'], on: ['failure'] },
  ]);
  notifier.notify(failure);
  await notifier.settle();
  expect(await readFile(out, 'utf8')).toBe('run\n');
  expect(said.toSorted()).toEqual([
    'command 1 of `notify` could not be told: `sh` ended with exit code 3',
    'command 2 of `notify` could not be told: `no-such-program-of-ours` is not there',
  ]);
});

test('one that is let go is neither told nor remembered: the next run tells it', async () => {
  const letGo = new AbortController();
  answer = () => undefined;
  const notifier = open([hook], [], letGo.signal);
  notifier.notify(failure);
  setTimeout(() => letGo.abort(), 100);
  const began = Date.now();
  await notifier.settle();
  expect(Date.now() - began).toBeLessThan(3_000);
  expect([told, said]).toEqual([[], []]);
});
