import { type Found, fail } from '../finding.ts';
import type { CrossCheck } from './check.ts';

/** Two names of one machine would start two jobs where one has room. */
export const sameMachineCheck: CrossCheck = {
  name: 'reach',
  quick: true,
  needed: ({ nodes }) => nodes.length > 1,
  of: (nodes) => {
    const first = new Map<string, string>();
    const found = new Map<string, Found[]>();
    for (const { node, facts } of nodes) {
      if (!('ok' in facts.machine)) continue;
      const { bootId, host } = facts.machine.ok;
      const other = first.get(`${bootId} ${host}`);
      if (other === undefined) first.set(`${bootId} ${host}`, node);
      else found.set(node, [fail(`is the same machine as ${other}`, 'Name each machine once in `hosts`.')]);
    }
    return found;
  },
};
