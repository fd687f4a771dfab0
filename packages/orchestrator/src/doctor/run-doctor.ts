import type { Plan } from '@her/configs';
import { exitCodes } from '../errors.ts';
import type { Home } from '../home.ts';
import type { PlannedStudy } from '../study-file.ts';
import { askLinks, askReduce, openNodes } from './ask-links.ts';
import { type Asked, askNode, type DoctorNode } from './ask-nodes.ts';
import { findingsOf } from './checks/all-checks.ts';
import { whereJobsRun } from './checks/check.ts';
import { secretFindings } from './checks/secrets.ts';
import { storeFindings, type TryStore } from './checks/store.ts';
import { studyFindings } from './checks/study.ts';
import { type Finding, worst } from './finding.ts';
import type { NodeReport } from './node-report.ts';
import { needsOf } from './study-needs.ts';

export type DoctorOptions = {
  home: Home;
  /** The agent's zipapp, here. */
  archive: string;
  /** Starts torch on all nodes for one all_reduce. */
  deep: boolean;
  /** Seconds for one node's facts. */
  limit: number;
  tryStore: TryStore;
  say: (line: string) => void;
};

export type Diagnosis = { findings: Finding[]; reports: NodeReport[] };

/** Every check of a study, on all nodes side by side. Starts nothing and leaves nothing behind. */
export async function runDoctor(
  planned: PlannedStudy,
  nodes: readonly DoctorNode[],
  { home, archive, deep, limit, tryStore, say }: DoctorOptions,
): Promise<Diagnosis> {
  const { plan, locate } = planned;
  const needs = await needsOf(planned, plan, home, nodes);
  const here = Promise.all([secretFindings(plan.secrets, locate), storeFindings(plan.store, tryStore)]);
  const asked = await Promise.all(
    nodes.map((node) => askNode(node, needs, { quick: false, limit, archive, say })),
  );
  try {
    const open = openNodes(asked, needs, archive);
    if (open.length > 1 && (needs.gangs || needs.storage === 'shared')) {
      say(`${open.length} nodes: ports and shared root`);
      await askLinks(open, needs);
    }
    if (deep && open.length > 0 && whereJobsRun(needs)) {
      say(`${open.length} node${open.length === 1 ? '' : 's'}: all_reduce`);
      await askReduce(open, needs);
    }
  } finally {
    await closeAll(asked);
  }
  const reports = asked.map(({ report }) => report);
  const [secrets, store] = await here;
  const findings = [
    ...studyFindings(planned),
    ...secrets,
    ...store,
    ...findingsOf(reports, needs, { quick: false, deep }),
  ];
  return { findings, reports };
}

/**
 * The checks that cost no time, before anything is started: no answer to wait for but that of each node. `plan` holds
 * the jobs that are still to be done. An empty list: nothing speaks against it.
 */
export async function preflight(
  planned: PlannedStudy,
  plan: Plan,
  nodes: readonly DoctorNode[],
  { home, archive, limit = 20 }: { home: Home; archive: string; limit?: number },
): Promise<Finding[]> {
  const needs = await needsOf(planned, plan, home, nodes);
  const say = (): void => undefined;
  const asked = await Promise.all(
    nodes.map((node) => askNode(node, needs, { quick: true, limit, archive, say })),
  );
  await closeAll(asked);
  const reports = asked.map(({ report }) => report);
  return findingsOf(reports, needs, { quick: true, deep: false }).filter(({ status }) => status === 'fail');
}

async function closeAll(asked: readonly Asked[]): Promise<void> {
  await Promise.all(asked.map(({ close }) => close()));
}

/** Warnings are not failures; what could not be seen is not either, but nobody can say that all is well. */
export function exitCodeOf(findings: readonly Finding[]): number {
  const status = worst(findings.map((finding) => finding.status));
  if (status === 'fail') return exitCodes.setup;
  return status === 'unknown' ? exitCodes.waiting : exitCodes.done;
}
