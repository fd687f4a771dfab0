import { randomBytes, randomInt } from 'node:crypto';
import { z } from 'zod';
import { HerError } from '../errors.ts';
import type { Asked } from './ask-nodes.ts';
import type { Needs } from './needs.ts';
import type { ReachedNode } from './node-report.ts';
import { linksReply, type ReduceReply, reduceReply } from './probe-reply.ts';
import { askSentAgent, type Sent } from './send-agent.ts';

type Open = { report: ReachedNode; sent: Sent };

/** Seconds that nodes wait for each other: their connections may be of very different speed. */
const patience = 10;
const reducePatience = 90;

export function openNodes(asked: readonly Asked[], needs: Needs, archive: string): Open[] {
  return asked.flatMap(({ report, runner }) =>
    report.reached && runner !== undefined
      ? [{ report, sent: { runner, python: needs.python, archive } }]
      : [],
  );
}

/** Ports and the shared root, asked of all nodes at the same time; the answers are put into the reports. */
export async function askLinks(nodes: readonly Open[], needs: Needs): Promise<void> {
  const nonce = randomBytes(8).toString('hex');
  const ports = needs.gangs ? testPorts() : [];
  const shared = needs.storage === 'shared' && needs.kind === 'ssh';
  const peersOf = (own: string) =>
    nodes.flatMap(({ report: { node, address } }) =>
      node === own || address === null ? [] : [{ name: node, address }],
    );
  await Promise.all(
    nodes.map(async ({ report, sent }) => {
      const name = report.node;
      const request = { name, nonce, seconds: patience, ports, peers: peersOf(name) };
      const asked = shared ? { ...request, folder: needs.root } : request;
      report.links = await askSentAgent(sent, 'probe-links', asked, linksReply, patience + 20).catch(
        problemOf,
      );
    }),
  );
  if (!shared) return;
  await Promise.all(
    nodes.map(({ report: { node }, sent }) =>
      askSentAgent(sent, 'probe-clean', { folder: needs.root, name: node, nonce }, z.unknown(), 20).catch(
        problemOf,
      ),
    ),
  );
}

/** Where ranks meet, where Ray's workers listen, and where the system picks one: others each time. */
function testPorts(): number[] {
  return [
    randomInt(20_000, 25_000),
    randomInt(25_000, 30_000),
    randomInt(10_002, 20_000),
    randomInt(33_000, 60_000),
  ];
}

/** One all_reduce over all nodes that have an environment with torch. */
export async function askReduce(nodes: readonly Open[], needs: Needs): Promise<void> {
  const environment = needs.environments.find(({ name }) =>
    nodes.every(({ report: { facts } }) => {
      const found = facts.environments[name];
      return found !== undefined && 'ok' in found && found.ok.versions['torch'] !== undefined;
    }),
  );
  const [first] = nodes;
  if (first === undefined) return;
  const localRanks = needs.gpus?.perNode ?? 1;
  const request = {
    seconds: reducePatience,
    environment: environment?.path,
    backend: needs.gpus === null ? 'gloo' : 'nccl',
    address: first.report.address ?? '127.0.0.1',
    port: randomInt(20_000, 30_000),
    worldSize: nodes.length * localRanks,
    localRanks,
  };
  await Promise.all(
    nodes.map(async ({ report, sent }, i): Promise<void> => {
      report.reduce =
        environment === undefined
          ? { problem: 'no environment with torch is on all nodes yet' }
          : await askSentAgent<ReduceReply>(
              sent,
              'probe-reduce',
              { ...request, firstRank: i * localRanks },
              reduceReply,
              reducePatience + 20,
            ).catch(problemOf);
    }),
  );
}

function problemOf(error: unknown): { problem: string } {
  if (error instanceof HerError) return { problem: error.message };
  throw error;
}
