import type { Runner, RunResult } from '../targets/runner.ts';
import type { DoctorNode } from './ask-nodes.ts';
import { facts } from './testing.ts';

/** For tests: a machine that is none. It answers the agent's verbs with what a test says, and keeps what was asked. */

type Answer = RunResult | Record<string, unknown>;
type Answers = Record<string, Answer | ((request: Record<string, unknown>) => Answer)>;

export type StubRunner = Runner & {
  /** The verbs of the agent in the order in which they were asked, with their requests. */
  readonly asked: { verb: string; python: string; agent: string; request: Record<string, unknown> }[];
  readonly closed: number;
};

const done: RunResult = { exitCode: 0, stdout: '', stderr: '' };

export function stubRunner(answers: Answers = {}): StubRunner {
  const asked: StubRunner['asked'] = [];
  const all: Answers = {
    true: done,
    probe: () => facts(),
    'probe-clean': { removed: { ok: true } },
    ...answers,
  };
  let closed = 0;
  return {
    host: 'stub',
    asked,
    get closed() {
      return closed;
    },
    async run([program = '', ...words], { input } = {}) {
      const verb = program === 'true' ? 'true' : (words.at(-1) ?? '');
      const request = verb === 'true' ? {} : opened(input);
      if (verb !== 'true') asked.push({ verb, python: program, ...splitOf(input), request });
      const answer = all[verb];
      if (answer === undefined) throw new Error(`this stub was not told what to say to ${verb}`);
      const said = typeof answer === 'function' ? answer(request) : answer;
      return isResult(said) ? said : { ...done, stdout: JSON.stringify(said) };
    },
    stream() {
      throw new Error('this stub streams nothing');
    },
    async close() {
      closed += 1;
    },
  };
}

export function stubNode(name: string, runner: Runner, address: string | null = '10.0.0.1'): DoctorNode {
  return { name, address, open: async () => runner };
}

function isResult(said: Answer): said is RunResult {
  return 'stdout' in said && 'stderr' in said;
}

/** The agent, its length in a line before it, and the request behind it. */
function splitOf(input: unknown): { agent: string; body: string } {
  const text = Buffer.isBuffer(input) ? input.toString('utf8') : '';
  const [length = '0'] = text.split('\n', 1);
  const start = length.length + 1;
  return { agent: text.slice(start, start + Number(length)), body: text.slice(start + Number(length)) };
}

function opened(input: unknown): Record<string, unknown> {
  return JSON.parse(splitOf(input).body) as Record<string, unknown>;
}
