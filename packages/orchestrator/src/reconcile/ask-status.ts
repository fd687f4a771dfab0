import type { AgentStatus } from '../agent/protocol.ts';
import { askedAgain } from '../targets/agent-answer.ts';
import type { Node } from '../targets/target.ts';

/** Another machine's word on an attempt (a shared folder, a new host name) proves nothing about it. */
export function askStatus(node: Pick<Node, 'status'>, id: string): Promise<AgentStatus> {
  return askedAgain(node.status(id), ['other-node']);
}
