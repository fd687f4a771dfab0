import { type Found, warn } from '../finding.ts';
import type { CrossCheck } from './check.ts';

/** NCCL talks between drivers of different versions until it does not. */
export const driversAlikeCheck: CrossCheck = {
  name: 'driver',
  quick: false,
  needed: ({ gpus, gangs }) => gpus !== null && gangs,
  of: (nodes) => {
    const drivers = nodes.flatMap(({ node, facts }) =>
      'ok' in facts.gpus && facts.gpus.ok.driver !== null ? [[node, facts.gpus.ok.driver] as const] : [],
    );
    const counts = new Map<string, number>();
    for (const [, driver] of drivers) counts.set(driver, (counts.get(driver) ?? 0) + 1);
    const [usual] = [...counts].sort((a, b) => b[1] - a[1])[0] ?? [];
    const [first] = drivers.find(([, driver]) => driver === usual) ?? [];
    return new Map<string, Found[]>(
      drivers
        .filter(([, driver]) => driver !== usual)
        .map(([node, driver]) => [
          node,
          [warn(`${driver}; ${first} has ${usual}`, 'Give all nodes of a job the same driver.')],
        ]),
    );
  },
};
