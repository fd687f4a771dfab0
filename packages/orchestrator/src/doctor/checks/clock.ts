import { fail, ok, warn } from '../finding.ts';
import { always, type NodeCheck } from './check.ts';

/** Milliseconds. Signed addresses end after minutes, and an audit calls a record odd from a minute on. */
const noticed = 2_000;
const tooMuch = 60_000;

export const clockCheck: NodeCheck = {
  name: 'clock',
  quick: true,
  needed: always,
  of: ({ clock, facts }) => {
    const off = Math.abs(clock.offset);
    const bound = Math.ceil(clock.bound);
    const words = `${off <= bound ? 'as here' : `${shown(off)} ${clock.offset > 0 ? 'ahead' : 'behind'}`}, ± ${bound} ms`;
    const kept = 'ok' in facts.machine ? facts.machine.ok.clockSynchronized : null;
    const remedy = 'Set it by a time server (chrony, systemd-timesyncd), on the node or here.';
    const certain = off - clock.bound;
    if (certain > tooMuch)
      return [fail(words, remedy, 'signed addresses and the order of the record rest on the time')];
    if (certain > noticed) return [warn(words, remedy)];
    return [ok(kept === false ? `${words}; nothing keeps it right` : words)];
  },
};

function shown(milliseconds: number): string {
  return milliseconds < 10_000 ? `${Math.round(milliseconds)} ms` : `${Math.round(milliseconds / 1000)} s`;
}
