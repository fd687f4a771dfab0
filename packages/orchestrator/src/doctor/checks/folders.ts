import { disk } from '../../views/plan/units.ts';
import { type Found, fail, ok, unknown, warn } from '../finding.ts';
import type { Needs } from '../needs.ts';
import type { ReachedNode } from '../node-report.ts';
import { always, given, type NodeCheck } from './check.ts';

/** Below this a folder is full, whatever is planned: logs, events and the agent alone need some. */
const fullBelow = 256e6;
const fullInodes = 2000;
const noRoom = /no space left|quota/i;
const notTold: Found[] = [unknown('the node does not tell how much is free')];

export const rootCheck: NodeCheck = {
  name: 'root',
  quick: true,
  needed: always,
  of: ({ facts }) =>
    given(facts.folders['root'], 'root', ({ path, nearest, exists, folder, problem, fileSystem }) => {
      const remedy = 'Give the target a `root` that this user may write to.';
      if (nearest === undefined) return [fail(`${path} ${problem ?? 'cannot be looked at'}`, remedy)];
      if (exists && folder === false) return [fail(`${path} is no folder`, remedy)];
      // That there is no room is said by `disk`.
      if (problem !== null && !noRoom.test(problem))
        return [fail(`${exists ? path : `${path} cannot be made in ${nearest}`}: ${problem}`, remedy)];
      return [ok(`${path}${exists ? '' : ' (will be made)'}, ${fileSystem ?? 'unknown'}`)];
    }),
};

export const diskCheck: NodeCheck = {
  name: 'disk',
  quick: true,
  needed: always,
  of: (node, needs) =>
    given(node.facts.folders['root'], 'disk', ({ freeBytes, mount = '?', problem }) => {
      if (freeBytes === undefined) return notTold;
      const { bytes, setup, words } = wantedBytes(node, needs);
      const free = `${disk(freeBytes)} free at ${mount}`;
      const remedy =
        'Free some, give the target another `root`, or lower `keep` or `save_every` of the stages.';
      if ((problem !== null && noRoom.test(problem)) || freeBytes < fullBelow)
        return [fail(`full: ${free}`, remedy)];
      const needed = bytes + setup;
      if (freeBytes < needed) return [fail(`${free}; ${words}`, remedy)];
      if (freeBytes < needed * 1.1) return [warn(`${free}; ${words}`, remedy)];
      return [ok(`${free}; ${words}`)];
    }),
};

function wantedBytes(
  { facts }: ReachedNode,
  { disk: need, environments }: Needs,
): { bytes: number; setup: number; words: string } {
  const missing = environments.filter(({ name, locked }) => {
    const found = facts.environments[name];
    return locked && found !== undefined && 'ok' in found && Object.keys(found.ok.versions).length === 0;
  });
  const setup = missing.reduce((sum, { bytes }) => sum + bytes, 0);
  const parts = [
    need.bytes > 0 ? `checkpoints take ${disk(need.bytes)}` : '',
    need.unknown.length > 0 ? `those of ${need.unknown.join(', ')} cannot be told` : '',
    setup > 0 ? `the trainers to set up ${disk(setup)}` : '',
  ].filter((part) => part !== '');
  return { bytes: need.bytes, setup, words: parts.join(', ') || 'no checkpoints are planned' };
}

export const inodesCheck: NodeCheck = {
  name: 'inodes',
  quick: true,
  needed: always,
  of: ({ facts }, { disk: need }) =>
    given(facts.folders['root'], 'inodes', ({ freeInodes, mount = '?' }) => {
      if (freeInodes === undefined) return notTold;
      if (freeInodes === null) return [ok('not counted by this file system')];
      const words = `${freeInodes} free at ${mount}; about ${need.inodes} files are planned`;
      const remedy = 'Remove old attempts or caches there, or give the target another `root`.';
      return freeInodes < Math.max(need.inodes, fullInodes) ? [fail(words, remedy)] : [ok(words)];
    }),
};

export const tmpCheck: NodeCheck = {
  name: '/tmp',
  quick: true,
  needed: always,
  of: ({ facts }) =>
    given(facts.folders['tmp'], '/tmp', ({ path, exists, folder, freeBytes, problem }) => {
      const remedy = 'Make room in /tmp: torch and Ray keep sockets and temporary files there.';
      if (problem !== null) return [fail(problem, remedy)];
      if (exists && folder === false) return [fail(`${path} is no folder`, remedy)];
      if (freeBytes === undefined) return notTold;
      return freeBytes < 1e9 ? [warn(`${disk(freeBytes)} free`, remedy)] : [ok(`${disk(freeBytes)} free`)];
    }),
};
