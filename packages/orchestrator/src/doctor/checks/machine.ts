import { memory } from '../../views/plan/units.ts';
import { type Found, fail, ok, unknown, warn } from '../finding.ts';
import { always, given, type NodeCheck, whereJobsRun } from './check.ts';

const gb = 1e9;
const gib = 2 ** 30;

/** Ray holds a socket for each worker and the trainers a file for each shard. */
const fewFiles = 8192;

export const loginCheck: NodeCheck = {
  name: 'login',
  quick: true,
  needed: always,
  of: ({ facts }) => given(facts.machine, 'who runs there', ({ user, host }) => [ok(`${user} on ${host}`)]),
};

export const pythonCheck: NodeCheck = {
  name: 'python',
  quick: true,
  needed: always,
  of: ({ facts }) => given(facts.machine, 'Python', ({ python, os }) => [ok(`${python}, ${os}`)]),
};

export const coresCheck: NodeCheck = {
  name: 'cores',
  quick: false,
  needed: whereJobsRun,
  of: ({ facts }, needs) =>
    given(facts.machine, 'cores', ({ cores, load }) => {
      if (cores < needs.cores)
        return [
          fail(
            `${cores} can be used; a job asks for ${needs.cores}`,
            'Lower `cores` of the target and `needs.cores` of the stages, or take other nodes.',
          ),
        ];
      const busy = load[1] ?? 0;
      return busy > cores
        ? [warn(`${cores}, with a load of ${busy.toFixed(1)}`, 'Look who works there: `uptime`, `top`.')]
        : [ok(`${cores}, load ${busy.toFixed(1)}`)];
    }),
};

export const memoryCheck: NodeCheck = {
  name: 'memory',
  quick: false,
  needed: whereJobsRun,
  of: ({ facts }, needs) =>
    given(facts.machine, 'memory', ({ memoryBytes, freeMemoryBytes }) => {
      if (memoryBytes === null) return [unknown('memory: the machine does not tell how much it has')];
      const wanted = needs.memoryGb * gb;
      const remedy = 'End what runs there, or lower `memory_gb` of the target.';
      const words = `${freeMemoryBytes === null ? '' : `${memory(freeMemoryBytes)} free of `}${memory(memoryBytes)}`;
      if (memoryBytes < wanted) return [fail(`${words}; a job may take ${needs.memoryGb} GB`, remedy)];
      if (freeMemoryBytes === null) return [unknown('memory: the machine does not tell how much is free')];
      if (freeMemoryBytes < wanted) return [warn(`${words}; a job may take ${needs.memoryGb} GB`, remedy)];
      return [ok(words)];
    }),
};

export const limitsCheck: NodeCheck = {
  name: 'limits',
  quick: false,
  needed: whereJobsRun,
  of: ({ facts }, needs) =>
    given(facts.machine, 'limits', ({ openFiles, lockedMemory, freeShmBytes }) => {
      const found: Found[] = [];
      if (openFiles !== null && openFiles < fewFiles)
        found.push(
          warn(
            `at most ${openFiles} open files`,
            'Raise `nofile` in /etc/security/limits.conf, or LimitNOFILE of sshd.',
          ),
        );
      const wantedShm = needs.gpus === null ? 0.25 * gib : 8 * gib;
      if ((freeShmBytes ?? 0) < wantedShm)
        found.push(
          warn(
            freeShmBytes === null ? 'there is no /dev/shm' : `${memory(freeShmBytes)} free in /dev/shm`,
            'Enlarge it: `mount -o remount,size=50% /dev/shm`, or --shm-size of the container.',
            'ranks and data loaders exchange tensors there',
          ),
        );
      if (needs.gpus !== null && needs.gangs && lockedMemory !== null && lockedMemory < gib)
        found.push(
          warn(
            `at most ${memory(lockedMemory)} of locked memory`,
            'Set `memlock` to unlimited in /etc/security/limits.conf.',
            'RDMA registers the memory that it sends from',
          ),
        );
      if (found.length > 0) return found;
      return [ok(`${openFiles ?? 'any number of'} files, ${memory(freeShmBytes ?? 0)} in /dev/shm`)];
    }),
};
