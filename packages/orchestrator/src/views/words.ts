import type { Job } from '@her/configs';
import type { AttemptState } from '../reconcile/state.ts';

/** The number that a person watches while a job of this kind runs. */
export function watched(job: Job, attempt: AttemptState): string {
  const names = job.kind === 'rl' ? ['critic/score/mean'] : ['loss'];
  const found = names.map((name) => attempt.lastValues[name]).find((value) => value !== undefined);
  if (found === undefined) return '';
  return `${job.kind === 'rl' ? 'reward' : 'loss'} ${short(found)}`;
}

/** Four significant digits, without a tail of zeros. */
export function short(value: number | string): string {
  return typeof value === 'number' ? String(Number(value.toPrecision(4))) : value;
}

/** `step 40/189`, or what can be said of it. */
export function stepText(attempt: AttemptState): string {
  if (attempt.lastStep === null) return 'starting';
  return attempt.maxSteps === null
    ? `step ${attempt.lastStep}`
    : `step ${attempt.lastStep}/${attempt.maxSteps}`;
}

/** Milliseconds left by the mean pace of this attempt's own steps; undefined until there are two. */
export function timeLeft(attempt: AttemptState, now: number): number | undefined {
  const { stepTimes, maxSteps } = attempt;
  if (stepTimes === null || maxSteps === null) return undefined;
  const steps = stepTimes.last.step - stepTimes.first.step;
  if (steps <= 0) return undefined;
  const last = Date.parse(stepTimes.last.time);
  const pace = (last - Date.parse(stepTimes.first.time)) / steps;
  return Math.max(0, pace * (maxSteps - stepTimes.last.step) - (now - last));
}

export function duration(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function clock(date: Date): string {
  return date.toTimeString().slice(0, 8);
}

/** Text from a node or a file, safe to print: nothing that steers the terminal or turns the reading order gets out. */
export function printable(text: string): string {
  return text.replace(/[^\P{Cc}\n\t]|\p{Cf}/gu, '�');
}

/** The same for a cell or a detail, which must stay on its line. */
export function oneLine(text: string): string {
  return printable(text.replace(/[\r\n\t\v\f\u0085\u2028\u2029]+/g, ' '));
}
