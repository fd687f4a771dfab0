import { type Finding, type Found, ok, unknown } from '../finding.ts';
import type { Needs } from '../needs.ts';
import type { NodeReport, ReachedNode } from '../node-report.ts';
import type { CrossCheck, NodeCheck } from './check.ts';
import { clockCheck } from './clock.ts';
import { driversAlikeCheck } from './drivers-alike.ts';
import { diskCheck, inodesCheck, rootCheck, tmpCheck } from './folders.ts';
import { driverCheck, eccCheck, gpusCheck, gpuUseCheck } from './gpus.ts';
import { inputsCheck, modelsCheck } from './inputs.ts';
import { portsCheck, sharedRootCheck } from './links.ts';
import { coresCheck, limitsCheck, loginCheck, memoryCheck, pythonCheck } from './machine.ts';
import { networkCheck } from './network.ts';
import { reduceCheck } from './reduce.ts';
import { sameMachineCheck } from './same-machine.ts';
import { imageCheck, trainerCheck } from './trainer.ts';

/** In the order of the table: each rests on those above it. */
const nodeChecks: readonly NodeCheck[] = [
  loginCheck,
  pythonCheck,
  clockCheck,
  coresCheck,
  memoryCheck,
  limitsCheck,
  gpusCheck,
  driverCheck,
  gpuUseCheck,
  eccCheck,
  rootCheck,
  diskCheck,
  inodesCheck,
  tmpCheck,
  inputsCheck,
  modelsCheck,
  networkCheck,
  trainerCheck,
  imageCheck,
];
const crossChecks: readonly CrossCheck[] = [sameMachineCheck, driversAlikeCheck, sharedRootCheck, portsCheck];

/** Rows of the table that come before all others, and what they mean for a node that was not reached. */
const wayIn = ['reach', 'host key', 'login', 'python'] as const;

export type CheckOptions = { quick: boolean; deep: boolean };

/** Everything that can be said of the nodes. Pure: reports and needs in, findings out. */
export function findingsOf(
  reports: readonly NodeReport[],
  needs: Needs,
  { quick, deep }: CheckOptions,
): Finding[] {
  const wanted = <C extends NodeCheck | CrossCheck>(checks: readonly C[]): C[] =>
    checks.filter((check) => check.needed(needs) && (check.quick || !quick));
  const own = [...wanted(nodeChecks), ...(deep ? [reduceCheck] : [])];
  const cross = wanted(crossChecks);
  const reached = reports.filter((report): report is ReachedNode => report.reached);
  const between = new Map(cross.map((check) => [check.name, check.of(reached, needs)]));
  const names = [...new Set([...own, ...cross].map(({ name }) => name))];
  return reports.flatMap((report): Finding[] => {
    if (!report.reached) return missedFindings(report, needs, names);
    const place = (check: string, found: readonly Found[]): Finding[] =>
      found.map((each) => ({ check, node: report.node, ...each }));
    return [
      ...wayFindings(report, needs, between.get('reach')?.get(report.node) ?? []),
      ...own.flatMap((check) => place(check.name, check.of(report, needs))),
      ...cross
        .filter(({ name }) => name !== 'reach')
        .flatMap(({ name }) => place(name, between.get(name)?.get(report.node) ?? [])),
    ];
  });
}

function wayFindings({ node, milliseconds }: ReachedNode, needs: Needs, found: readonly Found[]): Finding[] {
  const reach = found.length > 0 ? found : [ok(`in ${Math.round(milliseconds)} ms`)];
  const key = needs.kind === 'local' ? [] : [ok('known and the same')];
  return [
    ...reach.map((each) => ({ check: 'reach', node, ...each })),
    ...key.map((each) => ({ check: 'host key', node, ...each })),
  ];
}

/** The obstacle; what lies before it went well, and nothing is known of what lies behind it. */
function missedFindings(
  { node, obstacle }: Extract<NodeReport, { reached: false }>,
  needs: Needs,
  names: readonly string[],
): Finding[] {
  const { check, ...rest } = obstacle;
  const way = wayIn.filter((name) => name !== 'host key' || needs.kind !== 'local');
  const at = way.indexOf(check);
  const before = way.slice(0, at);
  const behind = [...new Set([...way.slice(at + 1), ...names])].filter(
    (name) => !before.some((one) => one === name) && name !== check,
  );
  return [
    ...before.map((name) => ({ check: name, node, ...ok('passed') })),
    { check, node, status: 'fail', ...rest },
    ...behind.map((name) => ({ check: name, node, ...unknown('was not reached') })),
  ];
}
