import { type Found, fail, ok, unknown, warn } from '../finding.ts';
import type { Needs, Server } from '../needs.ts';
import type { ReachedNode } from '../node-report.ts';
import type { NodeCheck } from './check.ts';

/** Whether the servers that jobs need answer, from the node. */
export const networkCheck: NodeCheck = {
  name: 'network',
  quick: false,
  needed: ({ servers }) => servers.length > 0,
  of: (node, needs) => needs.servers.flatMap((server) => serverFound(node, needs, server)),
};

function serverFound(node: ReachedNode, needs: Needs, { name, why, onlyToSetUp }: Server): Found[] {
  const answer = node.facts.reach[name];
  if (answer !== undefined && 'ok' in answer)
    return [ok(`${name} in ${answer.ok.milliseconds} ms${answer.ok.proxy ? ', by a proxy' : ''}`)];
  if (onlyToSetUp && !somethingMissing(node, needs))
    return [ok(`${name} is not needed: the trainers are there`)];
  if (answer === undefined) return [unknown(`${name}: was not asked`)];
  const what = `${name}: ${'late' in answer ? 'does not answer' : answer.error}`;
  return onlyToSetUp
    ? [
        warn(
          what,
          'Give the target `environments` that are there, a mirror (UV_DEFAULT_INDEX), or an `https_proxy`.',
          why,
        ),
      ]
    : [fail(what, 'Open the way (`https_proxy` is used where set), or give a `path` on the nodes.', why)];
}

function somethingMissing({ facts }: ReachedNode, { environments }: Needs): boolean {
  return environments.some(({ name }) => {
    const found = facts.environments[name];
    return found === undefined || !('ok' in found) || !found.ok.exists;
  });
}
