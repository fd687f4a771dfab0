import { type Found, fail, ok, unknown, warn } from '../finding.ts';
import type { ReachedNode } from '../node-report.ts';
import type { LinksReply } from '../probe-reply.ts';
import { type CrossCheck, given } from './check.ts';

type LinksSaid = Extract<LinksReply['links'], { ok: unknown }>['ok'];

/** Whether the nodes of a gang reach each other's ports, each from each. */
export const portsCheck: CrossCheck = {
  name: 'ports',
  quick: false,
  needed: ({ gangs, nodes }) => gangs && nodes.length > 1,
  of: (nodes) => new Map(nodes.map((node) => [node.node, portsOf(node, nodes)])),
};

function portsOf({ node, links }: ReachedNode, nodes: readonly ReachedNode[]): Found[] {
  if (links === undefined) return [unknown('was not asked')];
  if ('problem' in links) return [unknown(links.problem)];
  return given(links.links, 'ports', (said) => linksFound(node, said, nodes));
}

function linksFound(own: string, { reached, busy }: LinksSaid, nodes: readonly ReachedNode[]): Found[] {
  const addresses = new Map(nodes.map(({ node, address }) => [node, address]));
  const slowest: number[] = [];
  const found = Object.entries(reached).flatMap(([peer, ports]): Found[] => {
    const broken = Object.entries(ports).flatMap(([port, link]) => {
      if ('milliseconds' in link) slowest.push(link.milliseconds);
      // Somebody else has that port there, which that node tells itself.
      const taken = busyAt(nodes, peer).includes(Number(port));
      return 'why' in link && !taken ? [[port, link.why] as const] : [];
    });
    if (broken.length === 0) return [];
    const reasons = [...new Set(broken.map(([, why]) => why))].join('; ');
    const which =
      broken.length === Object.keys(ports).length ? 'any port' : broken.map(([port]) => port).join(', ');
    return [
      fail(
        `${peer} at ${addresses.get(peer) ?? 'its address'} cannot be reached at ${which}: ${reasons}`,
        'Open the ports between the nodes, or give `addresses` by which they reach each other.',
        'the ranks of a job talk over any port',
      ),
    ];
  });
  if (found.length > 0) return found;
  const unasked = nodes.flatMap(({ node }) => (node === own || reached[node] !== undefined ? [] : [node]));
  if (unasked.length > 0)
    return [
      unknown(
        `not tried: ${unasked.join(', ')}`,
        'Give the target `addresses` by which its hosts reach each other.',
      ),
    ];
  if (busy.length > 0)
    return [warn(`in use: ${busy.join(', ')}`, 'Run it again: other ports are tried then.')];
  const count = Object.keys(reached).length;
  return [ok(`${count} peer${count === 1 ? '' : 's'}, ${Math.max(0, ...slowest)} ms at most`)];
}

function busyAt(nodes: readonly ReachedNode[], name: string): readonly number[] {
  const links = nodes.find(({ node }) => node === name)?.links;
  return links !== undefined && 'links' in links && 'ok' in links.links ? links.links.ok.busy : [];
}

/** What each node wrote into the root, read by every other one. */
export const sharedRootCheck: CrossCheck = {
  name: 'shared root',
  quick: false,
  needed: ({ storage, nodes, kind }) => kind === 'ssh' && storage === 'shared' && nodes.length > 1,
  of: (nodes) => new Map(nodes.map((node) => [node.node, sharedOf(node, nodes)])),
};

function wrote({ links }: ReachedNode): boolean {
  return links !== undefined && 'shared' in links && links.shared !== undefined && 'ok' in links.shared;
}

function sharedOf({ links, node, facts }: ReachedNode, nodes: readonly ReachedNode[]): Found[] {
  if (links === undefined || 'problem' in links || links.shared === undefined)
    return [unknown(links !== undefined && 'problem' in links ? links.problem : 'was not asked')];
  const { shared } = links;
  if ('error' in shared)
    return [fail(`nothing can be written there: ${shared.error}`, 'See `root` and `disk`.')];
  if ('late' in shared)
    return [
      unknown(`no answer within ${shared.late} s`, 'Its file system hangs: try `ls` there on the node.'),
    ];
  const peers = nodes.filter((other) => other.node !== node && shared.ok.unseen.includes(other.node));
  const unseen = peers.filter(wrote).map((peer) => peer.node);
  if (unseen.length === 0 && peers.length > 0)
    return [unknown(`whether ${peers.map((peer) => peer.node).join(', ')} wrote there is not known`)];
  if (unseen.length === 0) return [ok(`${shared.ok.place}: written here, read there`)];
  const kind = facts.folders['root'];
  const name = kind !== undefined && 'ok' in kind ? kind.ok.fileSystem : undefined;
  const system = name === undefined ? '' : ` (${name})`;
  return [
    fail(
      `${shared.ok.place}${system} does not show what ${unseen.join(', ')} wrote`,
      'Give a `root` on storage that all nodes see, or say `storage: own`, where a job takes one node.',
    ),
  ];
}
