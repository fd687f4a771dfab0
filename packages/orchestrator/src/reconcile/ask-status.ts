import type { AgentStatus } from '../agent/protocol.ts';
import { HerError } from '../errors.ts';
import type { Node } from '../targets/target.ts';

/** Another machine's word on an attempt (a shared folder, a new host name) proves nothing about it. */
export async function askStatus(node: Pick<Node, 'status'>, id: string): Promise<AgentStatus> {
  try {
    return await node.status(id);
  } catch (error) {
    if (!(error instanceof HerError) || error.agentCode !== 'other-node') throw error;
    throw new HerError('AGENT_UNREACHABLE', error.message, { cause: error });
  }
}
