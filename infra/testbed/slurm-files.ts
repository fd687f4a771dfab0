import { join } from 'node:path';
import { lines } from './host-files.ts';
import type { Places } from './places.ts';
import { addresses, innerAddress, type Topology } from './topology.ts';

export type Machine = { cores: number; memoryMb: number };

/** GPUs that each node says it has; behind each is a /dev/null, as Slurm insists on a device. */
export const gpusPerNode = 4;
export const gpuFiles = '/run/gpu';

/** One cluster over all hosts, controlled from `login`; every node runs the same files. */
export function slurmFiles(topology: Topology, places: Places, machine: Machine): Record<string, string> {
  const nodes = topology.hosts.filter(({ role }) => role === 'compute');
  const shape = `CPUs=${machine.cores} RealMemory=${Math.floor(machine.memoryMb * 0.9)} Gres=gpu:${gpusPerNode} State=UNKNOWN`;
  const names = nodes.map(({ name }) => name).join(',');
  return {
    'slurm.conf': lines([
      'ClusterName=her',
      `SlurmctldHost=login(${addresses.login})`,
      'SlurmUser=root',
      'SlurmdUser=root',
      'AuthType=auth/munge',
      'AuthInfo=socket=/run/munge/munge.socket.2',
      `StateSaveLocation=${join(places.self, 'slurm/state')}`,
      `SlurmdSpoolDir=${join(places.self, 'slurm/spool')}`,
      'SlurmctldPidFile=/run/slurmctld.pid',
      'SlurmdPidFile=/run/slurmd.pid',
      'ProctrackType=proctrack/linuxproc',
      'TaskPlugin=task/none',
      'SelectType=select/cons_tres',
      'SelectTypeParameters=CR_Core_Memory',
      'GresTypes=gpu',
      'MpiDefault=none',
      'MailProg=/bin/true',
      'ReturnToService=2',
      'SlurmdTimeout=30',
      'KillWait=5',
      'SchedulerParameters=batch_sched_delay=0,sched_interval=5,sched_min_interval=0',
      'AccountingStorageType=accounting_storage/slurmdbd',
      `AccountingStorageHost=${addresses.login}`,
      'JobAcctGatherType=jobacct_gather/linux',
      'JobAcctGatherFrequency=5',
      '# There are no cgroups: what a step uses is looked at now and then, and one that uses too much is ended.',
      'JobAcctGatherParams=OverMemoryKill',
      'PreemptType=preempt/partition_prio',
      'PreemptMode=CANCEL',
      ...nodes.map((host) => `NodeName=${host.name} NodeAddr=${innerAddress(host)} ${shape}`),
      `PartitionName=main Nodes=${names} Default=YES MaxTime=INFINITE GraceTime=10 State=UP`,
      `PartitionName=short Nodes=${names} MaxTime=1 State=UP`,
      `PartitionName=urgent Nodes=${names} PriorityTier=10 PreemptMode=OFF State=UP`,
    ]),
    // Named, so that it is not looked for: a host has no cgroups mounted, and none are used.
    'cgroup.conf': lines(['CgroupPlugin=cgroup/v1']),
    'gres.conf': lines([`Name=gpu File=${gpuFiles}[0-${gpusPerNode - 1}]`]),
    'slurmdbd.conf': lines([
      'AuthType=auth/munge',
      'AuthInfo=socket=/run/munge/munge.socket.2',
      'DbdHost=login',
      `DbdAddr=${addresses.login}`,
      'SlurmUser=root',
      'PidFile=/run/slurmdbd.pid',
      'StorageType=accounting_storage/mysql',
      'StorageHost=localhost',
      'StorageUser=root',
      'StorageLoc=slurm_accounting',
    ]),
  };
}
