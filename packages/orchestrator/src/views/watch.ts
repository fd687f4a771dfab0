import type { Plan } from '@her/configs';
import { createLogUpdate } from 'log-update';
import type { RetryPolicy } from '../reconcile/decide.ts';
import type { Observer } from '../reconcile/observer.ts';
import type { StudyState } from '../reconcile/state.ts';
import { jobRows, treeLines } from './tree.ts';
import { clock, duration, printable, stepText, timeLeft, watched } from './words.ts';

/** What a person sees while the loop runs. `close` leaves the last picture on the screen. */
export type Watch = { observer: Observer; say: (line: string) => void; close: () => void };

type Scene = { plan: Plan; state: StudyState; policy: RetryPolicy };

/** Milliseconds between two progress lines of one job where there is no terminal. */
const lineEvery = 10_000;

/** A live tree on a terminal, plain lines elsewhere. Both go to standard error; results go to standard output. */
export function openWatch(scene: Scene, stream: NodeJS.WriteStream): Watch {
  return stream.isTTY ? liveTree(scene, stream) : plainLines(stream);
}

function liveTree({ plan, state, policy }: Scene, stream: NodeJS.WriteStream): Watch {
  const update = createLogUpdate(stream, { showCursor: true });
  const unknown = new Map<string, Date>();
  const queued = new Map<string, string>();
  let drawn: { lines: string[]; width: number } = { lines: [], width: 0 };
  const draw = (): void => {
    const rows = jobRows(plan, state, policy, unknown, Date.now(), queued);
    const width = stream.columns ?? 100;
    const title = `${plan.study}  ${clock(new Date())}   Ctrl-C lets go; the trainers go on`;
    const lines = [title, ...treeLines(rows, width)];
    drawn = { lines, width };
    update(lines.join('\n'));
  };
  const redraw = (): void => {
    update.clear();
    stream.write(eraseReflowed(drawn.lines, drawn.width, stream.columns ?? 100));
    draw();
  };
  stream.on('resize', redraw);
  const timer = setInterval(draw, 250);
  const say = (line: string): void => {
    update.clear();
    stream.write(`${printable(line)}\n`);
    draw();
  };
  const observer: Observer = {
    started: draw,
    progressed: () => undefined,
    ended: (job, attempt) => {
      if (attempt.ended?.code !== 0) say(`${job.name}: ${attempt.ended?.cause ?? 'ended'}`);
    },
    note: (job, text) => say(job === null ? text : `${job.name}: ${text}`),
    waiting: (job, words) => void (words === null ? queued.delete(job.id) : queued.set(job.id, words)),
    unknown: (job, since) => unknown.set(job.id, since),
    known: (job) => unknown.delete(job.id),
  };
  return {
    observer,
    say,
    close: () => {
      clearInterval(timer);
      stream.off('resize', redraw);
      draw();
      update.done();
    },
  };
}

/** A narrower terminal breaks the lines of the last picture: those rows stand above what was cleared. */
export function eraseReflowed(lines: readonly string[], before: number, now: number): string {
  const rows = (width: number): number =>
    lines.reduce((sum, line) => sum + Math.max(1, Math.ceil(line.length / Math.max(1, width))), 0);
  const more = rows(now) - rows(before);
  return more > 0 ? `\u001b[${more}A\r\u001b[J` : '';
}

function plainLines(stream: NodeJS.WriteStream): Watch {
  const say = (line: string): void => {
    stream.write(`${clock(new Date())}  ${printable(line)}\n`);
  };
  const spoken = new Map<string, number>();
  const queued = new Map<string, string>();
  const observer: Observer = {
    started: (job, attempt, how) => {
      const from = attempt.resumedFrom === null ? '' : `, from checkpoint ${attempt.resumedFrom.step}`;
      say(`${job.name}: ${how}, attempt ${attempt.number}${from}`);
    },
    progressed: (job, attempt) => {
      const now = Date.now();
      if (now - (spoken.get(attempt.id) ?? 0) < lineEvery) return;
      spoken.set(attempt.id, now);
      const left = timeLeft(attempt, now);
      const parts = [
        stepText(attempt),
        watched(job, attempt),
        left === undefined ? '' : `${duration(left)} left`,
      ];
      say(`${job.name}: ${parts.filter((part) => part !== '').join(', ')}`);
    },
    ended: (job, attempt) => {
      const { ended } = attempt;
      say(
        ended?.code === 0 && ended.cause === null
          ? `${job.name}: done`
          : `${job.name}: ended: ${ended?.cause ?? ended?.reason}`,
      );
    },
    note: (job, text) => say(job === null ? text : `${job.name}: ${text}`),
    waiting: (job, words) => {
      if (words !== null && words !== queued.get(job.id)) say(`${job.name}: ${words}`);
      if (words === null) queued.delete(job.id);
      else queued.set(job.id, words);
    },
    unknown: (job, since, why) => say(`${job.name}: unknown since ${since.toISOString()} (${why})`),
    known: (job) => say(`${job.name}: reached again`),
  };
  return { observer, say, close: () => undefined };
}
