import { memory } from '../../views/plan/units.ts';
import { type Found, fail, ok, unknown, warn } from '../finding.ts';
import type { Needs } from '../needs.ts';
import type { ReachedNode } from '../node-report.ts';
import type { GpuFacts, ProbeReply } from '../probe-reply.ts';
import { always, given, type NodeCheck, whereJobsRun } from './check.ts';

type Gpus = Extract<ProbeReply['gpus'], { ok: unknown }>['ok'];

const wanted = (needs: Needs): boolean =>
  needs.gpus !== null && needs.gpus.perNode > 0 && whereJobsRun(needs);

function over(node: ReachedNode, judge: (gpus: Gpus) => Found[]): Found[] {
  return given(node.facts.gpus, 'GPUs', judge);
}

/** Also where no GPU is wanted: then it is said that there is none, or that they stay idle. */
export const gpusCheck: NodeCheck = {
  name: 'gpus',
  quick: true,
  needed: always,
  of: (node, needs) => {
    if (!whereJobsRun(needs)) return [{ ...ok('not looked at: Slurm chooses the nodes'), cell: 'not seen' }];
    return over(node, ({ gpus, tool, problem }) => {
      if (needs.gpus === null)
        return gpus.length === 0
          ? [{ ...ok('none: CPU only, as the target says'), cell: 'CPU only' }]
          : [{ ...ok(`${gpus.length}, not used: the target has no \`gpus\``), cell: 'not used' }];
      const { perNode } = needs.gpus;
      if (perNode === 0) return [{ ...ok(`${gpus.length}, not used: no job takes any`), cell: 'not used' }];
      if (gpus.length >= perNode) return kindOf(gpus, needs.gpus);
      const there = gpus.length === 0 ? 'none' : String(gpus.length);
      const why =
        problem ?? (tool === null ? 'neither nvidia-smi nor rocm-smi is there' : `as ${tool} lists them`);
      return [
        fail(
          `${there} of ${perNode}: ${why}`,
          tool === null
            ? 'Install the driver of the GPUs, or leave `gpus` out of the target to train on CPUs.'
            : 'See `dmesg | grep -i -e xid -e nvrm`: a lost GPU needs a reboot. Or lower `gpus.per_node`.',
        ),
      ];
    });
  },
};

function kindOf(gpus: readonly GpuFacts[], want: NonNullable<Needs['gpus']>): Found[] {
  const names = [...new Set(gpus.map(({ name }) => name ?? 'unknown'))];
  const words = `${gpus.length} × ${names.join(', ')}`;
  if (gpus.some(({ mig }) => mig))
    return [
      fail(`${words}, cut into MIG slices`, 'Switch it off: `nvidia-smi -mig 0`, then reset the GPUs.'),
    ];
  const sizes = gpus.flatMap(({ totalBytes }) => totalBytes ?? []);
  const least = Math.min(...sizes);
  // A card's label counts in GB what its maker built in GiB, less what it keeps for itself.
  if (least < want.memoryGb * 0.9 * 2 ** 30)
    return [
      fail(
        `${words} with ${memory(least)} each; the plan counts on ${want.memoryGb} GB`,
        'Give the target the `gpus.kind` that is there, and plan again: `her plan STUDY`.',
      ),
    ];
  if (sizes.length < gpus.length && want.memoryGb > 0)
    return [unknown(`${words}, which do not tell their memory; the plan counts on ${want.memoryGb} GB`)];
  if (want.kind !== null && !names.every((name) => isKind(name, want.kind ?? '')))
    return [warn(`${words}; the target says ${want.kind}`, 'Give the target the `gpus.kind` that is there.')];
  return [ok(words)];
}

/** Whether a tool's name for a card is that of our table: `H20-96` is no `NVIDIA H200`. */
export function isKind(name: string, kind: string): boolean {
  const model = kind.split('-')[0]?.toUpperCase() ?? '';
  const words = name.toUpperCase().split(/[^A-Z0-9]+/);
  return words.some((word, i) => word === model || `${word}${words[i + 1] ?? ''}` === model);
}

export const driverCheck: NodeCheck = {
  name: 'driver',
  quick: true,
  needed: wanted,
  of: (node, needs) =>
    over(node, ({ driver, cuda, problem, tool, gpus }) => {
      if (problem !== null && tool !== null)
        return [
          fail(
            problem,
            gpus.length === 0
              ? `Until \`${tool}\` works on the node nothing else will: reload the driver, or reboot.`
              : 'See `dmesg | grep -i -e xid -e nvrm`; reset the GPU or reboot.',
          ),
        ];
      if (driver === null && gpus.length > 0) return [unknown('its version is not told')];
      if (driver === null) return [fail('no driver is loaded', 'Install it, then `nvidia-smi` must work.')];
      const built = cudaOf(node, needs);
      const words = `${driver}${cuda === null ? '' : `, CUDA ${cuda}`}`;
      if (cuda === null || built === null || Number(cuda.split('.')[0]) >= built) return [ok(words)];
      return [
        fail(
          `${words}; torch of the environment is built for CUDA ${built}`,
          `Install a driver that offers CUDA ${built}, or give an environment whose torch is older.`,
        ),
      ];
    }),
};

/** The major version of CUDA that the environments' torch is built for, where they are there. */
function cudaOf({ facts }: ReachedNode, needs: Needs): number | null {
  const versions = needs.environments.flatMap(({ name }) => {
    const found = facts.environments[name];
    if (found === undefined || !('ok' in found)) return [];
    const { torch, ...others } = found.ok.versions;
    const tagged = torch?.match(/\+cu(\d+)\d$/)?.[1];
    const runtime = others['nvidia-cuda-runtime'] ?? others['nvidia-cuda-runtime-cu12'];
    return [tagged ?? runtime?.split('.')[0] ?? ''].filter((major) => major !== '').map(Number);
  });
  return versions.length === 0 ? null : Math.max(...versions);
}

export const gpuUseCheck: NodeCheck = {
  name: 'gpu use',
  quick: false,
  needed: wanted,
  of: (node) =>
    over(node, ({ gpus }) => {
      const found = gpus.flatMap((gpu): Found[] => {
        const work = gpu.processes.filter(({ graphics }) => !graphics);
        const taken = gpu.totalBytes ? (gpu.usedBytes ?? 0) / gpu.totalBytes : 0;
        if (work.length === 0 && taken < 0.05) return [];
        const who = work.map(processWords).join(', ') || 'used by nobody that can be seen';
        const what = `GPU ${gpu.index}: ${roomWords(gpu)}, ${who}`;
        const remedy = 'Wait for it, or ask its owner to end it; `her stop` ends what is yours.';
        return [taken < 0.05 ? warn(what, remedy) : fail(what, remedy)];
      });
      return found.length > 0 ? found : [ok(`${gpus.length} idle`)];
    }),
};

function roomWords({ freeBytes, totalBytes }: GpuFacts): string {
  if (totalBytes === null) return 'its memory is not told';
  return `${freeBytes === null ? '?' : memory(freeBytes)} free of ${memory(totalBytes)}`;
}

function processWords({ pid, name, user, bytes }: GpuFacts['processes'][number]): string {
  const told = [user, pid === null ? '' : `pid ${pid}`, bytes === null ? '' : memory(bytes)].filter(Boolean);
  return `${name || 'a process'}${told.length === 0 ? '' : ` (${told.join(', ')})`}`;
}

export const eccCheck: NodeCheck = {
  name: 'ecc',
  quick: false,
  needed: wanted,
  of: (node) =>
    over(node, ({ gpus }) => {
      const found = gpus.flatMap((gpu): Found[] => {
        if (gpu.remapFailed)
          return [fail(`GPU ${gpu.index}: its memory could not be mended`, 'Have the GPU replaced.')];
        if ((gpu.uncorrectedErrors ?? 0) > 0)
          return [
            fail(
              `GPU ${gpu.index}: ${gpu.uncorrectedErrors} uncorrected errors of memory since the driver was loaded`,
              'Reset it (`nvidia-smi --gpu-reset -i N`) or reboot; leave the node out if they come again.',
            ),
          ];
        if (gpu.remapPending)
          return [
            warn(`GPU ${gpu.index}: memory waits to be remapped`, 'Reset the GPU, or reboot the node.'),
          ];
        return [];
      });
      if (found.length > 0) return found;
      const told = gpus.some(({ uncorrectedErrors }) => uncorrectedErrors !== null);
      return [ok(told ? 'no errors' : 'not told by these GPUs')];
    }),
};
