import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples } from './examples.ts';

/** `her logs`. */
export function addLogs(her: Command, done: (code: number) => void): void {
  her
    .command('logs')
    .description('what the ranks of a job wrote: one log to the byte, or all of them line by line')
    .argument('[job]', 'name (sft/11), start of the id, or id of an attempt (default: the one that runs)')
    .option('-f, --follow', 'go on until the attempt ends, also over broken connections', false)
    .option('--attempt <n>', 'which attempt, from 1 (default: the latest)', wholeNumber)
    .option('--node <name>', 'only this node (default: the first, or with --all every one)')
    .addOption(
      new Option('--rank <n>', 'which rank of the node (default: 0)').argParser(wholeNumber).conflicts('all'),
    )
    .addOption(
      new Option('--service <name>', "a service's log instead of a rank's")
        .choices(['ray'])
        .conflicts(['all', 'rank']),
    )
    .option(
      '--all',
      'every rank and service on every node, in whole lines, with who wrote it before each',
      false,
    )
    .addOption(
      new Option('--from <byte>', 'start at this byte').argParser(wholeNumber).conflicts(['all', 'tail']),
    )
    .option('--tail <lines>', 'start this many lines before the end', wholeNumber)
    .option('--home <dir>', 'folder of records and environments (default: $HER_HOME, else .her)')
    .option('--study <name>', 'which recorded study, where there are several')
    .addOption(
      new Option('--json', 'every line as a JSON line, with its node and byte')
        .default(false)
        .conflicts(['rank', 'service', 'from']),
    )
    .addHelpText(
      'after',
      `${examples(
        'her logs sft/11',
        'her logs rl/23 -f --all',
        'her logs rl/23 --node gpu-2 --service ray --tail 50',
        'her logs rl/23 --attempt 1 --from 40960 > rest.log',
      )}
Ctrl-C stops reading, not the trainer; it prints the command that goes on at the next byte.
Exit codes: 0 read to the end, 2 no such job or attempt, 7 a node cannot be reached, 8 the agent refused, 130 let go.`,
    )
    .action(async (job, options) => done(await (await import('../commands/logs.ts')).logs(job, options)));
}

function wholeNumber(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value))
    throw new InvalidArgumentError(`a whole number is expected, not ${JSON.stringify(text)}.`);
  return value;
}
