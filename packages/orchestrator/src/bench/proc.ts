import { readdir, readFile } from 'node:fs/promises';
import { cpus } from 'node:os';

/** The kernel's unit of processor time in /proc, the same on every Linux. */
const ticks = 100;

/** What a process and the processes it started have taken so far. */
export type Taken = {
  userSeconds: number;
  systemSeconds: number;
  rssMb: number;
  /** The most that was resident at once since each began. */
  peakMb: number;
  processes: number;
};

/** As the kernel sees a process and its descendants. */
export async function takenBy(pid: number): Promise<Taken> {
  const own = await one(pid);
  const below = await Promise.all((await childrenOf(pid)).map(takenBy));
  return below.reduce(add, own);
}

function add(a: Taken, b: Taken): Taken {
  return {
    userSeconds: a.userSeconds + b.userSeconds,
    systemSeconds: a.systemSeconds + b.systemSeconds,
    rssMb: a.rssMb + b.rssMb,
    peakMb: a.peakMb + b.peakMb,
    processes: a.processes + b.processes,
  };
}

async function one(pid: number): Promise<Taken> {
  try {
    const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number);
    // utime and stime, and those of children that have ended.
    const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
    const status = await readFile(`/proc/${pid}/status`, 'utf8');
    const mb = (name: string): number =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? 0) / 1024;
    return {
      userSeconds: (user + childUser) / ticks,
      systemSeconds: (system + childSystem) / ticks,
      rssMb: mb('VmRSS'),
      peakMb: mb('VmHWM'),
      processes: 1,
    };
  } catch {
    // It ended meanwhile.
    return { userSeconds: 0, systemSeconds: 0, rssMb: 0, peakMb: 0, processes: 0 };
  }
}

async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = await Promise.all(
    threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => '')),
  );
  return lists.flatMap((list) => list.split(' ').filter((word) => word !== '')).map(Number);
}

/** Processor seconds of this machine since it started, over all processors. */
export type MachineTimes = { busy: number; all: number };

export async function machineTimes(): Promise<MachineTimes> {
  const [first = ''] = (await readFile('/proc/stat', 'utf8')).split('\n');
  // user nice system idle iowait irq softirq steal; guest time is within user.
  const times = first.trim().split(/\s+/).slice(1, 9).map(Number);
  const all = times.reduce((sum, time) => sum + time, 0) / ticks;
  return { busy: all - ((times[3] ?? 0) + (times[4] ?? 0)) / ticks, all };
}

export async function loadOfLastMinute(): Promise<number> {
  return Number((await readFile('/proc/loadavg', 'utf8')).split(' ')[0]);
}

export function processors(): { count: number; model: string } {
  const all = cpus();
  return { count: all.length, model: all[0]?.model.trim() ?? 'unknown' };
}
