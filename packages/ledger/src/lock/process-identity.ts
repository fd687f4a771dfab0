import { execFileSync } from 'node:child_process';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errnoOf } from '../errors.ts';

/** What tells one process from all others, over restarts, containers and machines. */
export interface ProcessIdentity {
  readonly host: string;
  /** Changes with each boot; `null` where the system tells none. */
  readonly bootId: string | null;
  /** Where pids are numbered: two containers on one host may not compare theirs. */
  readonly pidSpace: string | null;
  readonly pid: number;
  /** In the system's own units; tells a process from a later one with the same pid. */
  readonly startTime: string | null;
}

export type Liveness = 'alive' | 'dead' | 'unknown';

let self: ProcessIdentity | undefined;

/** This process. */
export function ownIdentity(): ProcessIdentity {
  self ??= {
    host: hostname(),
    bootId: bootId(),
    pidSpace: process.platform === 'linux' ? orNull(() => readlinkSync('/proc/self/ns/pid')) : null,
    pid: process.pid,
    startTime: startTimeOf(process.pid) ?? null,
  };
  return self;
}

/** Whether a process lives. `dead` needs positive evidence; another host's is `unknown`. */
export function livenessOf(other: ProcessIdentity, me: ProcessIdentity = ownIdentity()): Liveness {
  if (other.host !== me.host) return 'unknown';
  if (other.bootId !== null && me.bootId !== null && other.bootId !== me.bootId) return 'dead';
  if (other.pidSpace !== me.pidSpace) return 'unknown';
  const startTime = startTimeOf(other.pid);
  if (startTime === undefined) return 'dead';
  return startTime !== null && other.startTime !== null && startTime !== other.startTime ? 'dead' : 'alive';
}

/** The start time of a process; `undefined` when it is gone (or a zombie), `null` when that cannot be told. */
function startTimeOf(pid: number): string | null | undefined {
  return process.platform === 'linux' ? startTimeFromProc(pid) : startTimeFromPs(pid);
}

function startTimeFromProc(pid: number): string | null | undefined {
  let stat: string;
  try {
    stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  } catch (error) {
    const errno = errnoOf(error);
    return errno === 'ENOENT' || errno === 'ESRCH' ? undefined : null;
  }
  // The second field is the program's name in parentheses, and may itself hold spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return undefined;
  return fields[19] ?? null;
}

function startTimeFromPs(pid: number): string | null | undefined {
  try {
    process.kill(pid, 0);
  } catch (error) {
    if (errnoOf(error) === 'ESRCH') return undefined;
  }
  return orNull(() => execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim());
}

function bootId(): string | null {
  if (process.platform === 'linux') {
    return orNull(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
  }
  return orNull(() => execFileSync('sysctl', ['-n', 'kern.bootsessionuuid'], { encoding: 'utf8' }).trim());
}

/** A fact the system may not have: without it we know less, and never guess. */
function orNull(read: () => string): string | null {
  try {
    return read() || null;
  } catch {
    return null;
  }
}
