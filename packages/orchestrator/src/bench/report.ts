import { cpus } from 'node:os';
import type { Measured } from './measured.ts';

/** What a measurement was asked to be. `rate`: metric events a second of each agent. */
export type Asked = { hosts: number; each: number; rate: number; seconds: number };

export type Verdict = {
  cores: number;
  eventsPerSecond: number;
  met: { rate: boolean; cores: boolean; rss: boolean; lag: boolean };
};

/** What must hold: less than one core and 500 MB, less than 2 s behind, and nothing left lying. */
export const limits = { rateShare: 0.98, cores: 1, rssMb: 500, p99: 2000 };

export function judge(asked: Asked, { seconds, cpuSeconds, rssMb, lags }: Measured): Verdict {
  const cores = cpuSeconds / seconds;
  const eventsPerSecond = lags.count / seconds;
  const written = asked.hosts * asked.each * asked.rate;
  return {
    cores,
    eventsPerSecond,
    met: {
      rate: eventsPerSecond > written * limits.rateShare,
      cores: cores < limits.cores,
      rss: rssMb < limits.rssMb,
      lag: lags.p99 < limits.p99,
    },
  };
}

export function reportLines(asked: Asked, measured: Measured, verdict: Verdict): string[] {
  const { hosts, each, rate } = asked;
  const { lags } = measured;
  const { met } = verdict;
  const processors = cpus();
  return [
    `${hosts * each} agents on ${hosts} hosts, each ${rate} metric events a second, ${measured.seconds.toFixed(0)} s`,
    `${processors.length} processors (${processors[0]?.model ?? 'unknown'}), Node ${process.version}`,
    row(
      'events recorded a second',
      verdict.eventsPerSecond,
      0,
      `${hosts * each * rate} are written`,
      met.rate,
    ),
    row('cores of the orchestrator', verdict.cores, 2, `below ${limits.cores}`, met.cores),
    row('its memory at most, MB', measured.rssMb, 0, `below ${limits.rssMb}`, met.rss),
    row('its memory at the beginning, MB', measured.rssBeginMb, 0),
    row('lag to the ledger, median, ms', lags.p50, 0),
    row('lag of 99 in 100, ms', lags.p99, 0, `below ${limits.p99}`, met.lag),
    row('longest lag, ms', lags.most, 0),
  ];
}

function row(what: string, figure: number, digits: number, limit = '', met = true): string {
  return `${what.padEnd(32)} ${figure.toFixed(digits).padStart(8)}  ${limit.padEnd(20)} ${met ? '' : 'NOT MET'}`.trimEnd();
}
