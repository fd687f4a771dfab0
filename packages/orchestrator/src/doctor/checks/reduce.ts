import { fail, ok, unknown } from '../finding.ts';
import type { NodeCheck } from './check.ts';

/** One sum over all ranks by the trainers' own torch. Only where it was asked for: it starts torch on every node. */
export const reduceCheck: NodeCheck = {
  name: 'all_reduce',
  quick: false,
  needed: () => false,
  of: ({ reduce }, needs) => {
    if (reduce === undefined) return [unknown('was not asked')];
    if ('problem' in reduce) return [unknown(reduce.problem)];
    const backend = needs.gpus === null ? 'gloo' : 'NCCL';
    if (reduce.ok)
      return [ok(`${backend}: 16 MiB in ${reduce.milliseconds ?? '?'} ms, torch ${reduce.torch ?? '?'}`)];
    return [
      fail(
        `${backend}: ${reduce.why ?? 'it failed'}${reduce.said ? `: ${reduce.said}` : ''}`,
        needs.gpus === null
          ? 'Name the interface between the nodes: GLOO_SOCKET_IFNAME.'
          : 'Try NCCL_DEBUG=INFO; name the interface (NCCL_SOCKET_IFNAME) or leave InfiniBand out (NCCL_IB_DISABLE=1).',
      ),
    ];
  },
};
