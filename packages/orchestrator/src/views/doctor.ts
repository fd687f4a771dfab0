import { type Finding, type Status, worst } from '../doctor/finding.ts';
import type { Diagnosis } from '../doctor/run-doctor.ts';
import { sections } from './sections.ts';
import { tableLines } from './table.ts';
import { wrappedTable } from './wrapped-table.ts';

const width = 110;
const here = 'here';
const grave: readonly Status[] = ['fail', 'unknown', 'warn'];

/** The table of checks and nodes, then each thing to mend with its remedy. */
export function doctorText(file: string, { findings, reports }: Diagnosis): string {
  const nodes = reports.map(({ node }) => node);
  const study = findings.filter(({ node }) => node === null);
  const ofNodes = findings.filter(({ node }) => node !== null);
  return sections([
    study.length === 0 ? [] : wrappedTable(['study', '', ''], rowsWithWords(study), width),
    nodes.length === 1
      ? wrappedTable(['check', nodes[0] ?? '', ''], rowsWithWords(ofNodes), width)
      : matrix(ofNodes, nodes),
    ...grave.map((status) => mendLines(findings.filter((finding) => finding.status === status))),
    lastLines(file, findings),
  ]);
}

/** One node: what was found stands beside each check. */
function rowsWithWords(findings: readonly Finding[]): string[][] {
  return findings.map(({ check, status, what }, i) => [
    findings[i - 1]?.check === check ? '' : check,
    wordOf(status),
    what,
  ]);
}

/** Several nodes: those that differ in nothing share a column. */
function matrix(findings: readonly Finding[], nodes: readonly string[]): string[] {
  const checks = [...new Set(findings.map(({ check }) => check))];
  const columns = new Map<string, { cells: string[]; nodes: string[] }>();
  for (const node of nodes) {
    const cells = checks.map((check) =>
      cellOf(findings.filter((finding) => finding.node === node && finding.check === check)),
    );
    const key = JSON.stringify(cells);
    const column = columns.get(key);
    if (column === undefined) columns.set(key, { cells, nodes: [node] });
    else column.nodes.push(node);
  }
  const shown =
    nodes.length <= 8
      ? nodes.map((node) => ({ head: node, cells: cellsFor(columns, node) }))
      : grouped(columns);
  return tableLines(
    ['check', ...shown.map(({ head }) => head)],
    checks.map((check, i) => [check, ...shown.map(({ cells }) => cells[i] ?? '–')]),
  );
}

type Columns = ReadonlyMap<string, { cells: string[]; nodes: string[] }>;

function cellsFor(columns: Columns, node: string): string[] {
  return [...columns.values()].find(({ nodes }) => nodes.includes(node))?.cells ?? [];
}

function grouped(columns: Columns): { head: string; cells: string[] }[] {
  return [...columns.values()].map(({ cells, nodes }) => ({
    head: nodes.length <= 2 ? nodes.join(', ') : `${nodes[0]} and ${nodes.length - 1} more`,
    cells,
  }));
}

function cellOf(findings: readonly Finding[]): string {
  if (findings.length === 0) return '–';
  const status = worst(findings.map((finding) => finding.status));
  const told = findings.find((finding) => finding.cell !== undefined);
  return status === 'ok' && told?.cell !== undefined ? told.cell : wordOf(status);
}

function wordOf(status: Status): string {
  return status === 'unknown' ? '?' : status;
}

/** The same on several nodes is said once. What is unknown for want of a connection is said by that. */
function mendLines(findings: readonly Finding[]): string[] {
  const groups = new Map<string, Finding[]>();
  for (const finding of findings) {
    if (finding.status === 'unknown' && finding.what === 'was not reached') continue;
    const key = JSON.stringify([finding.check, finding.status, finding.what, finding.remedy]);
    groups.set(key, [...(groups.get(key) ?? []), finding]);
  }
  return [...groups.values()].flatMap((same): string[] => {
    const [first] = same;
    if (first === undefined) return [];
    const where = same.map(({ node }) => node ?? here).join(', ');
    return [
      `${first.status.padEnd(8)}${where}: ${first.check}: ${first.what}`,
      ...(first.why === undefined ? [] : [`        (${first.why})`]),
      ...(first.remedy === undefined ? [] : [`        → ${first.remedy}`]),
    ];
  });
}

function lastLines(file: string, findings: readonly Finding[]): string[] {
  const count = (status: Status): number => findings.filter((finding) => finding.status === status).length;
  const [failed, open, warned] = [count('fail'), count('unknown'), count('warn')];
  const parts = [
    counted(failed, 'failure'),
    open === 0 ? '' : `${open} unknown`,
    counted(warned, 'warning'),
  ].filter((part) => part !== '');
  const sum = parts.length === 0 ? 'all is well' : parts.join(', ');
  return [`${sum}; nothing was started.`, ...(failed + open === 0 ? [`next    her run ${file}`] : [])];
}

function counted(count: number, word: string): string {
  return count === 0 ? '' : `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** The same as data. Facts are as the nodes told them. */
export function doctorJson(
  planned: { plan: { study: string; target: string } },
  diagnosis: Diagnosis,
): unknown {
  const { findings, reports } = diagnosis;
  return {
    study: planned.plan.study,
    target: planned.plan.target,
    status: worst(findings.map(({ status }) => status)),
    findings,
    nodes: reports,
  };
}
