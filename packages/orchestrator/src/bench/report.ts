import type { NodeTimes } from './nodes.ts';
import type { Lags } from './recorded.ts';

export type Report = {
  asked: { hosts: string[]; agents: number; rate: number; seconds: number; warmUp: number };
  machine: {
    processors: number;
    model: string;
    node: string;
    /** Before anything was started. */
    loadBefore: number;
    /** Share of all processors' time in which they were at work, whoever for. */
    busy: number;
  };
  seconds: number;
  /** `peakMb`: since it started; `rssMb`: within the window. */
  orchestrator: {
    cores: number;
    userCores: number;
    systemCores: number;
    rssMb: number;
    peakMb: number;
    processes: number;
  };
  /** Processors that the rest took: agents, their streams, the trainers' stand-ins, the hosts' sshd. */
  nodes: NodeTimes;
  /** All of them, from the first step to the last. */
  metrics: { written: number; recorded: number; missing: number; doubled: number; perSecond: number };
  fromEvent: Lags;
  fromLine: Lags;
  ledger: { entries: number; whole: boolean };
  failed: string[];
  verdict: Verdict;
};

/** `saturated`: no processor was left, so that what was missed may be the machine's fault. */
export type Verdict = { met: Record<keyof typeof bounds, boolean>; saturated: boolean };

/** What must hold, in words. */
export const bounds = {
  rate: 'at least 98 % of what was asked',
  complete: 'each step once',
  cores: 'below 1',
  memory: 'below 500',
  lag: 'below 2000',
};

export function judge(report: Omit<Report, 'verdict'>): Verdict {
  const { asked, orchestrator, metrics, fromEvent, ledger, failed, machine } = report;
  return {
    met: {
      rate: metrics.perSecond >= asked.agents * asked.rate * 0.98,
      complete:
        metrics.recorded === metrics.written &&
        metrics.missing + metrics.doubled === 0 &&
        ledger.whole &&
        failed.length === 0,
      cores: orchestrator.cores < 1,
      memory: orchestrator.peakMb < 500,
      lag: fromEvent.most < 2000,
    },
    saturated: machine.busy > 0.95,
  };
}

export function reportLines({ verdict, ...report }: Report): string[] {
  const { asked, machine, orchestrator, nodes, metrics, fromEvent, fromLine, ledger } = report;
  const { met, saturated } = verdict;
  const share = `${(100 * machine.busy).toFixed(0)} % of it at work`;
  return [
    `${asked.agents} agents on ${asked.hosts.length} hosts (${asked.hosts.join(' ')}), each ${asked.rate} metrics a second, ${report.seconds.toFixed(0)} s`,
    `${machine.processors} processors (${machine.model}), Node ${machine.node}; load before ${machine.loadBefore}; ${share}`,
    '',
    row('metrics in the ledger a second', metrics.perSecond, 0, met.rate, bounds.rate),
    row('steps logged by the trainers', metrics.written, 0),
    row('steps in the ledger', metrics.recorded, 0, met.complete, bounds.complete),
    row('cores of the orchestrator', orchestrator.cores, 2, met.cores, bounds.cores),
    row('its memory at most, MB', orchestrator.peakMb, 0, met.memory, bounds.memory),
    row('event to ledger: median, ms', fromEvent.p50, 0),
    row('  95 in 100', fromEvent.p95, 0),
    row('  99 in 100', fromEvent.p99, 0),
    row('  longest', fromEvent.most, 0, met.lag, bounds.lag),
    row("trainer's line to ledger: median", fromLine.p50, 0),
    row('  longest', fromLine.most, 0),
    row('cores of the agents', nodes.agents, 2),
    row('  of their streams', nodes.streams, 2),
    row("  of the trainers' stand-ins", nodes.writers, 2),
    row("  of the hosts' sshd", nodes.sshd, 2),
    '',
    `ledger: ${ledger.entries} entries, ${ledger.whole ? 'verified' : 'NOT WHOLE'}`,
    ...(report.failed.length === 0 ? [] : [`jobs that did not end well: ${report.failed.join(', ')}`]),
    ...(saturated
      ? ['The machine had no processor left: what is missed may be its fault, not the orchestrator’s.']
      : []),
  ];
}

function row(what: string, figure: number, digits: number, met?: boolean, bound = ''): string {
  const verdict = met === undefined ? '' : met ? 'met' : 'NOT MET';
  return `${what.padEnd(34)} ${figure.toFixed(digits).padStart(9)}  ${verdict.padEnd(8)} ${bound}`.trimEnd();
}
