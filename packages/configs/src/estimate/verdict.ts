import { usableBytes } from './cards.ts';
import type { Term } from './term.ts';
import type { TrainingMemory } from './training-memory.ts';

/**
 * Whether what is needed fits. Below 90 % of the capacity it does, above 105 % it does not; between them neither
 * is known: that is about how far the estimate is from published measurements.
 */
export type Verdict = 'fits' | 'uncertain' | 'out-of-memory';

/** A verdict on something whose capacity may not have been given. */
export type VerdictOrUnknown = Verdict | 'unknown';

const FITS_BELOW = 0.9;
const OUT_ABOVE = 1.05;

/** The verdict on `needed` of `capacity`, both in bytes. */
export function verdictOn(needed: number, capacity: number): Verdict {
  const ratio = needed / capacity;
  if (ratio < FITS_BELOW) return 'fits';
  return ratio <= OUT_ABOVE ? 'uncertain' : 'out-of-memory';
}

/** One kind of memory, what is needed of it at the worst moment, and how much there is (undefined: not told). */
export type Need = {
  where: string;
  moment: string;
  terms: Term[];
  needed: number;
  capacity: number | undefined;
};

/** A need with its verdict; `ratio` is needed over capacity. */
export type JudgedNeed = Need & { verdict: VerdictOrUnknown; ratio: number | undefined };

/** The verdict on a job: the worst of its needs, and which term weighs most in it. */
export type Judgement = {
  verdict: VerdictOrUnknown;
  needs: [JudgedNeed, ...JudgedNeed[]];
  decides: { where: string; moment: string; term: Term | undefined };
};

const SEVERITY: Record<VerdictOrUnknown, number> = { fits: 0, unknown: 1, uncertain: 2, 'out-of-memory': 3 };

/** How bad a verdict is, for sorting. Unknown is worse than fits: nobody has promised anything. */
export const severityOf = (verdict: VerdictOrUnknown): number => SEVERITY[verdict];

/** Judges every need; the worst counts, and of equally bad ones the fullest. */
export function judge(needs: readonly [Need, ...Need[]]): Judgement {
  const [first, ...others] = needs;
  const judged: [JudgedNeed, ...JudgedNeed[]] = [judgeOne(first), ...others.map(judgeOne)];
  const worst = judged.reduce((a, b) => (isWorse(b, a) ? b : a));
  const term = worst.terms.reduce<Term | undefined>((a, b) => (a && a.bytes >= b.bytes ? a : b), undefined);
  return {
    verdict: worst.verdict,
    needs: judged,
    decides: { where: worst.where, moment: worst.moment, term },
  };
}

/** The needs of a training job: its fullest GPU, and its host when something is kept there. */
export function trainingNeeds(memory: TrainingMemory, machine: Machine): [Need, ...Need[]] {
  const { peak, hostPerNode } = memory;
  const gpu: Need = {
    where: 'gpu',
    moment: peak.name,
    terms: peak.terms,
    needed: peak.total,
    capacity: usableBytes(machine.cardGb),
  };
  return [gpu, ...hostNeeds(hostPerNode, machine)];
}

/** Nominal GB of a card, and bytes of a host's memory when they are known. */
export type Machine = { cardGb: number; hostMemory?: number };

/** The need of a host; none when nothing is kept there. */
export function hostNeeds(host: { terms: Term[]; total: number }, machine: Machine): Need[] {
  if (host.total === 0) return [];
  const { terms, total: needed } = host;
  return [{ where: 'host', moment: 'all', terms, needed, capacity: machine.hostMemory }];
}

function judgeOne(need: Need): JudgedNeed {
  if (need.capacity === undefined) return { ...need, verdict: 'unknown', ratio: undefined };
  return { ...need, verdict: verdictOn(need.needed, need.capacity), ratio: need.needed / need.capacity };
}

function isWorse(a: JudgedNeed, b: JudgedNeed): boolean {
  const difference = severityOf(a.verdict) - severityOf(b.verdict);
  return difference === 0 ? (a.ratio ?? 0) > (b.ratio ?? 0) : difference > 0;
}
