import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

/** A number alone may have passed to another process; with its start time it names one process only. */
export type ProcessId = { pid: number; startTime: string };

export async function processId(pid: number): Promise<ProcessId | null> {
  const stat = await readStat(pid);
  return stat === null || stat.state === 'Z' || stat.state === 'X'
    ? null
    : { pid, startTime: stat.startTime };
}

export async function isAlive({ pid, startTime }: ProcessId): Promise<boolean> {
  return (await processId(pid))?.startTime === startTime;
}

/** Kills exactly this process, and waits until it is gone. */
export async function kill(target: ProcessId): Promise<void> {
  for (let tries = 0; tries < 200; tries += 1) {
    if (!(await isAlive(target))) return;
    try {
      process.kill(target.pid, 'SIGKILL');
    } catch (cause) {
      if (!(cause instanceof Error && 'code' in cause && cause.code === 'ESRCH')) throw cause;
    }
    await sleep(25);
  }
  throw new Error(`process ${target.pid} is still there 5 seconds after SIGKILL`);
}

/** The fields of `/proc/PID/stat`; the name in brackets may itself hold spaces and brackets. */
export function parseStat(text: string): { state: string; startTime: string } {
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [state] = fields;
  const startTime = fields[19];
  if (state === undefined || startTime === undefined) throw new Error(`no line of /proc/PID/stat: ${text}`);
  return { state, startTime };
}

async function readStat(pid: number) {
  try {
    return parseStat(await readFile(`/proc/${pid}/stat`, 'utf8'));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && (cause.code === 'ENOENT' || cause.code === 'ESRCH'))
      return null;
    throw cause;
  }
}
