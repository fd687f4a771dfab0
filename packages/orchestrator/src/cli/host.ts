import { type Command, InvalidArgumentError } from 'commander';
import { examples } from './examples.ts';

const homeOption = [
  '--home <dir>',
  'folder of records and environments (default: $HER_HOME, else .her)',
] as const;

/** `her host`. */
export function addHost(her: Command, done: (code: number) => void): void {
  const host = her
    .command('host')
    .description('hosts that are reached over SSH, and the keys they are known by');
  host
    .command('add')
    .description(
      'show the keys of hosts, and of those on the way to them that are not known yet, and accept them',
    )
    .argument('<names...>', 'hosts, by the names that `ssh` knows them by')
    .option(
      '--fingerprint <SHA256:...>',
      'accept this key, and ask nobody; may stand several times',
      collect,
      [],
    )
    .option('--yes', 'accept whatever is shown, and ask nobody: only where nobody can be in between', false)
    .option('--replace', 'a key that is not the known one may take its place', false)
    .option('--study <name>', 'write it into the ledger of this recorded study at once')
    .option(...homeOption)
    .option('--json', 'what was accepted as JSON', false)
    .addHelpText(
      'after',
      `${examples(
        'her host add h1 h2',
        'her host add h1 --fingerprint SHA256:w9yMtP6T2Rm7rWg1uXhOJc4Qp0YvB0m0t2k1l3n5o7A',
        'her host add h1 --replace --study tiny',
      )}
A key is accepted for this home alone: it goes into its own known_hosts, ~/.ssh is left as it is. Every run writes the
keys that it meets into its ledger. Exit codes: 0 all are known now, 2 the command line is wrong, 5 a key was not
accepted, has changed or is revoked, or nobody could be let in on the way, 6 the ledger, 7 a host cannot be reached.`,
    )
    .action(async (names, options) =>
      done(await (await import('../commands/host.ts')).hostAdd(names, options)),
    );
  host
    .command('list')
    .description('how hosts are reached and by which keys they are known; connects to nothing')
    .argument('[names...]', 'hosts (default: those that were accepted or that recorded studies run on)')
    .option('--study <file>', 'the hosts of this study, by its file or its recorded name')
    .option(...homeOption)
    .option('--json', 'as JSON', false)
    .addHelpText(
      'after',
      `${examples(
        'her host list',
        'her host list --study studies/her.yaml',
        "her host list h1 --json | jq '.[].keys'",
      )}
Exit codes: 0 all were found, 2 the command line is wrong, 5 OpenSSH does not take a name, or known_hosts cannot be read.`,
    )
    .action(async (names, options) =>
      done(await (await import('../commands/host.ts')).hostList(names, options)),
    );
}

function collect(text: string, before: string[]): string[] {
  if (!/^SHA256:[A-Za-z0-9+/]{43}=?$/.test(text))
    throw new InvalidArgumentError('a fingerprint as `ssh-keygen -l` prints it is expected: SHA256:….');
  return [...before, text];
}
