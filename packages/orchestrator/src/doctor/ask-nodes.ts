import { exitCodes, HerError, type HerErrorCode } from '../errors.ts';
import type { Runner } from '../targets/runner.ts';
import type { Needs } from './needs.ts';
import { type NodeReport, type Obstacle, readClock } from './node-report.ts';
import { probeReply } from './probe-reply.ts';
import { askSentAgent } from './send-agent.ts';

/** A machine to look at, and how to get there. */
export type DoctorNode = {
  name: string;
  /** Where the other nodes reach it. */
  address: string | null;
  open(): Promise<Runner>;
};

export type AskOptions = {
  /** Only what takes no time. */
  quick: boolean;
  /** Seconds for one node, its connection included. */
  limit: number;
  archive: string;
  say: (line: string) => void;
};

/** A node with what was said of it, and its connection while that is open. */
export type Asked = { report: NodeReport; runner: Runner | undefined; close(): Promise<void> };

/** Opens one node and asks it for its facts. Never throws: what went wrong is the report. */
export async function askNode(node: DoctorNode, needs: Needs, options: AskOptions): Promise<Asked> {
  const { name, address } = node;
  let runner: Runner | undefined;
  const began = performance.now();
  const opening = node.open();
  // One that opens too late is closed then, and nobody waits for it.
  const close = async (): Promise<void> => {
    const closing = opening.then((opened) => opened.close()).catch(() => undefined);
    if (runner !== undefined) await closing;
  };
  try {
    const asked = async (): Promise<NodeReport> => {
      runner = await opening;
      const tried = await runner.run(['true'], { timeout: options.limit });
      if (tried.exitCode !== 0) throw silent(tried.stderr || tried.originalMessage);
      const milliseconds = performance.now() - began;
      options.say(`${name}: reached in ${Math.round(milliseconds)} ms`);
      const sent = Date.now();
      const facts = await askSentAgent(
        { runner, python: needs.python, archive: options.archive },
        'probe',
        probeRequest(needs, options),
        probeReply,
        options.limit,
      );
      const times = { sent, back: Date.now(), received: ms(facts.received), answered: ms(facts.answered) };
      return { node: name, address, reached: true, milliseconds, clock: readClock(times), facts };
    };
    return { report: await within(options.limit, asked()), runner, close };
  } catch (error) {
    if (!(error instanceof HerError)) throw error;
    const obstacle = obstacleOf(error);
    options.say(`${name}: ${obstacle.what}`);
    return { report: { node: name, address, reached: false, obstacle }, runner, close };
  }
}

function probeRequest(needs: Needs, { quick, limit }: AskOptions): Record<string, unknown> {
  const common = {
    seconds: Math.max(1, limit * 0.6),
    quick,
    folders: [
      { name: 'root', path: needs.root, write: true },
      { name: 'tmp', path: '/tmp', write: true },
    ],
    environments: needs.environments.map(({ name, path, pinned }) => ({
      name,
      path,
      packages: [...Object.keys(pinned), 'flash-attn', 'nvidia-cuda-runtime', 'nvidia-cuda-runtime-cu12'],
    })),
    programs: needs.image === null ? [] : [needs.image.with],
  };
  if (quick) return common;
  const models = needs.inputs.filter(({ model }) => model);
  const paths = needs.inputs.filter(({ model }) => !model);
  return {
    ...common,
    models: models.map(({ name, path }) => ({ name, path })),
    paths: paths.map(({ name, path }) => ({ name, path })),
    reach: needs.servers.map(({ name, host, port, tls }) => ({ name, host, port, tls })),
  };
}

const obstacles: Partial<Record<HerErrorCode, Obstacle['check']>> = {
  HOST_KEY_UNKNOWN: 'host key',
  HOST_KEY_CHANGED: 'host key',
  HOST_KEY_REVOKED: 'host key',
  HOST_KEY_NOT_ACCEPTED: 'host key',
  KNOWN_HOSTS_UNREADABLE: 'host key',
  SSH_AUTH_FAILED: 'login',
};

function obstacleOf(error: HerError): Obstacle {
  const { code, message } = error;
  if (error.agentCode === 'old-python')
    return {
      check: 'python',
      what: `Python ${message.replace(/ \[.*\]$/, '')} is older than 3.9`,
      remedy: 'Name a newer one as `python` of the target.',
      code,
    };
  if (error.agentCode !== undefined)
    return {
      check: 'python',
      what: message,
      remedy: 'Name a Python of 3.9 or newer as `python` of the target.',
      code,
    };
  const remedy =
    code === 'AGENT_UNREACHABLE'
      ? 'Is it up, and does `ssh HOST true` get there from here? Try again, or take it out of the target.'
      : error.hint;
  return { check: obstacles[code] ?? 'reach', what: message, remedy, code };
}

function silent(said: string | undefined): HerError {
  return new HerError(
    'AGENT_UNREACHABLE',
    `a command that does nothing failed: ${said?.trim() || 'no answer'}`,
  );
}

async function within<T>(seconds: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, refuse) => {
    const why = new HerError('AGENT_UNREACHABLE', `no answer within ${seconds} s`, {
      exitCode: exitCodes.waiting,
    });
    timer = setTimeout(() => refuse(why), seconds * 1000);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Nanoseconds since 1970 are past what a number holds exactly. */
function ms(nanoseconds: string): number {
  return Number(BigInt(nanoseconds) / 1000n) / 1000;
}
