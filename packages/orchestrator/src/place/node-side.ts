import type { z } from 'zod';
import { exitCodes, HerError } from '../errors.ts';
import { type AgentCall, askAgent } from '../targets/agent-verbs.ts';
import type { Runner, RunOptions } from '../targets/runner.ts';

/** A machine with a bundle of ours on it. `root`, `study` and `bundle` are absolute, on the node. */
export type NodeSide = {
  readonly name: string;
  readonly runner: Runner;
  readonly root: string;
  /** Attempts of one ledger lie below. */
  readonly study: string;
  readonly bundle: string;
  readonly python: string;
};

/** Asks the agent of the bundle there; what it refuses is told with the node's name. */
export async function askNode<T>(
  node: NodeSide,
  args: readonly string[],
  reply: z.ZodType<T>,
  options: RunOptions = {},
): Promise<T> {
  try {
    return await askAgent(callOf(node), args, reply, options);
  } catch (error) {
    if (error instanceof HerError && error.code === 'AGENT_FAILED') throw refusedBy(node.name, error);
    throw error;
  }
}

export function callOf({ runner, python, bundle }: NodeSide): AgentCall {
  return { runner, python, agent: `${bundle}/agent.pyz` };
}

/** Codes of the agent that mean something of their own here. */
const meanings = {
  'disk-full': 'DISK_FULL',
  'no-such-input': 'INPUT_MISSING',
  differs: 'INPUT_CHANGED',
  unhashable: 'INPUT_UNREADABLE',
  'no-environment': 'ENVIRONMENT_SETUP',
  'environment-broken': 'ENVIRONMENT_SETUP',
  'no-locks': 'ENVIRONMENT_SETUP',
} as const;

function refusedBy(name: string, { message, hint, agentCode = '', cause }: HerError): HerError {
  const code = agentCode in meanings ? meanings[agentCode as keyof typeof meanings] : 'AGENT_FAILED';
  const plain = code === 'AGENT_FAILED' ? message : message.replace(/ \[[\w-]+\]$/, '');
  return new HerError(code, `${name}: ${plain}`, {
    hint,
    agentCode,
    cause,
    ...(code === 'ENVIRONMENT_SETUP' ? { exitCode: exitCodes.setup } : {}),
  });
}
