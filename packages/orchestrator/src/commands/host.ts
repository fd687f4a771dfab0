import { existsSync } from 'node:fs';
import { LedgerError } from '@her/ledger';
import { exitCodes, HerError } from '../errors.ts';
import { absolute, callerDirectory, type Home, openHome } from '../home.ts';
import { findRecorded, foldLedger, openStudyLedger, readRecorded, studiesIn } from '../session.ts';
import { type AddOptions, addHost } from '../ssh/add-host.ts';
import { listHosts } from '../ssh/list-hosts.ts';
import { openPool } from '../ssh/open-ssh2.ts';
import { projectKnownHosts } from '../ssh/project-known-hosts.ts';
import { remarkedHosts } from '../ssh/remarked-hosts.ts';
import { hostKeyRecorder, type SeenHostKey } from '../ssh/seen-host-key.ts';
import { askLine, canAsk } from '../ssh/terminal.ts';
import { openStudyFile } from '../study-file.ts';
import { table } from '../views/table.ts';
import { oneLine } from '../views/words.ts';

type HostAddOptions = {
  home?: string;
  study?: string;
  yes: boolean;
  fingerprint: string[];
  replace: boolean;
  json: boolean;
};

/** `her host add NAME…`: accepts the keys of hosts and of those on the way to them. */
export async function hostAdd(names: readonly string[], options: HostAddOptions): Promise<number> {
  const home = openHome(options.home);
  // A name that is not recorded is told before anybody is asked.
  const study = options.study === undefined ? null : (await findRecorded(home, options.study)).name;
  const pool = openPool(home);
  const seen: SeenHostKey[] = [];
  const how: AddOptions = {
    home,
    pool,
    acceptance: {
      yes: options.yes,
      fingerprints: options.fingerprint.map((text) => text.replace(/=+$/, '')),
      replace: options.replace,
    },
    ask: canAsk() ? askLine : undefined,
    say: (line) => void process.stderr.write(`${oneLine(line)}\n`),
  };
  try {
    const done = new Set<string>();
    for (const name of new Set(names)) seen.push(...(await addHost(name, done, how)));
  } finally {
    pool.close();
    // What was accepted before another was refused holds, and is recorded.
    if (study !== null && seen.length > 0) await record(home, study, seen, how.say);
  }
  refuseUnshown(how.acceptance.fingerprints, seen);
  process.stdout.write(
    options.json
      ? `${JSON.stringify(seen)}\n`
      : seen.map((key) => `${oneLine(`${key.host}: ${words(key)}`)}\n`).join(''),
  );
  return exitCodes.done;
}

/** `her host list [NAME…]`: how hosts are reached, and by which keys they are known. */
export async function hostList(
  names: readonly string[],
  options: { home?: string; study?: string; json: boolean },
): Promise<number> {
  const home = openHome(options.home);
  const wanted = names.length > 0 ? names : await hostsOf(home, options.study);
  const hosts = await listHosts(wanted, projectKnownHosts(home));
  if (options.json) process.stdout.write(`${JSON.stringify(hosts)}\n`);
  else if (hosts.length === 0) process.stdout.write('no host was named, accepted or used yet\n');
  else
    process.stdout.write(
      `${table(
        ['host', 'at', 'by way of', 'served by', 'key'],
        hosts.map(({ host, at, way, by, why, error, keys }) => [
          host,
          error ?? at ?? '',
          way.join(', ') || '-',
          error === null ? (why === null ? by : `${by} (${why})`) : '-',
          keys.map((key) => `${standings[key.is]} ${key.algorithm} ${key.fingerprint}`).join('; ') ||
            'not known',
        ]),
      )}\n`,
    );
  return hosts.every(({ error }) => error === null) ? exitCodes.done : exitCodes.setup;
}

async function record(
  home: Home,
  study: string,
  seen: readonly SeenHostKey[],
  say: (line: string) => void,
): Promise<void> {
  try {
    const ledger = await openStudyLedger(home, study);
    try {
      const { hostKeys } = await foldLedger(ledger.dir);
      await hostKeyRecorder(ledger, study, hostKeys)(seen);
    } finally {
      await ledger.close();
    }
  } catch (error) {
    if (!(error instanceof LedgerError) || error.code !== 'LEDGER_LOCKED') throw error;
    say(`a \`her\` is at work on ${study}: the key goes into the ledger when a run next connects`);
  }
}

/** A fingerprint that no host showed was meant for something: that is not passed over. */
function refuseUnshown(fingerprints: readonly string[], seen: readonly SeenHostKey[]): void {
  const unshown = fingerprints.filter((one) => !seen.some(({ fingerprint }) => fingerprint === one));
  if (unshown.length === 0) return;
  throw new HerError('HOST_KEY_NOT_ACCEPTED', `no host that is named shows ${unshown.join(', ')}`, {
    hint: 'Keys that were known before, or that were named rightly, hold; `her host list` shows them.',
  });
}

/** Hosts of one study, or of all that are recorded and those that were accepted. */
async function hostsOf(home: Home, study: string | undefined): Promise<string[]> {
  if (study !== undefined) {
    const file = absolute(study, callerDirectory());
    if (!existsSync(file)) return runsOn((await readRecorded(home, study)).plan);
    return runsOn((await openStudyFile(study, callerDirectory(), { hash: false })).plan);
  }
  const found = new Set(await remarkedHosts(projectKnownHosts(home)));
  for (const name of await studiesIn(home))
    for (const host of await readRecorded(home, name).then(({ plan }) => runsOn(plan), nobody))
      found.add(host);
  return [...found].sort();
}

/** A study that was never registered runs on nothing. */
function nobody(error: unknown): string[] {
  if (error instanceof HerError && error.code === 'NOTHING_RECORDED') return [];
  throw error;
}

function runsOn({ runsOn: target }: Awaited<ReturnType<typeof readRecorded>>['plan']): string[] {
  if (target.kind === 'ssh') return [...target.hosts];
  return target.kind === 'slurm' && target.login !== undefined && target.login !== null ? [target.login] : [];
}

const standings = { host: 'known', authority: 'vouched for by', revoked: 'revoked' } as const;

function words({ how, algorithm, fingerprint, file }: SeenHostKey): string {
  const key = `${algorithm} ${fingerprint}`;
  if (how === 'removed') return `${key} taken out of ${file}`;
  return how === 'accepted' ? `${key} accepted, in ${file}` : `${key} known by ${file}`;
}
