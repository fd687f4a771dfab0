import { Command, InvalidArgumentError } from 'commander';
import { addCode } from './cli/code.ts';
import { addDiff } from './cli/diff.ts';
import { addDoctor } from './cli/doctor.ts';
import { addExec } from './cli/exec.ts';
import { addExplain } from './cli/explain.ts';
import { addFetch } from './cli/fetch.ts';
import { addHost } from './cli/host.ts';
import { addImport } from './cli/import.ts';
import { addInit } from './cli/init.ts';
import { addLogs } from './cli/logs.ts';
import { addPlan } from './cli/plan.ts';
import { addPrune } from './cli/prune.ts';
import { addRender } from './cli/render.ts';
import { addSchema } from './cli/schema.ts';
import { addTop } from './cli/top.ts';
import { exitCodes } from './errors.ts';

const homeOption = [
  '--home <dir>',
  'folder of records and environments (default: $HER_HOME, else .her)',
] as const;
const studyOption = ['--study <name>', 'which recorded study, where there are several'] as const;

/**
 * The command line. Commands are loaded when they run, so that `--help` stays quick.
 * @param done is given the exit code of the command that ran
 */
export function buildCli(done: (code: number) => void): Command {
  const her = new Command('her')
    .description(
      'Runs a language-model training study from one file and leaves a record that a stranger can check.',
    )
    .version('0.1.0')
    .showSuggestionAfterError()
    .showHelpAfterError('(her --help lists the commands)')
    .exitOverride()
    .addHelpText(
      'after',
      examples(
        'her run studies/tiny.yaml',
        'her status',
        'her logs sft/11 -f',
        'her audit seeds',
        'her ledger verify',
      ),
    );

  her
    .command('run')
    .description('make the world match the study: start, attach, resume; safe to repeat')
    .argument('<study>', 'the study file')
    .option(...homeOption)
    .option('--retries <n>', 'attempts after the first, where a failure may pass', wholeNumber, 2)
    .option('--target <name>', 'one of the `targets` of the study, instead of the one that it chooses')
    .option('--allow-dirty', "the study's own code may differ from its commit; the record keeps how", false)
    .option('--json', 'the outcome as JSON on standard output', false)
    .addHelpText(
      'after',
      `${examples('her run studies/tiny.yaml', 'her run studies/tiny.yaml --json')}
Ctrl-C lets go; the trainers go on, and the same command attaches again.
Exit codes: 0 all done, 2 the study is wrong, 3 a job failed, 4 a job is stopped, 5 setting up failed, 6 the ledger,
7 something to wait for, 8 the agent refused, 130 let go.`,
    )
    .action(async (study, options) => done(await (await import('./commands/run.ts')).run(study, options)));

  her
    .command('status')
    .description('where each job stands')
    .option(...homeOption)
    .option(...studyOption)
    .option('--json', 'as JSON', false)
    .addHelpText('after', examples('her status', 'her status --study tiny --json'))
    .action(async (options) => done(await (await import('./commands/status.ts')).status(options)));

  addLogs(her, done);

  her
    .command('stop')
    .description('end jobs: SIGTERM, a grace period, SIGKILL; waits until they have ended')
    .argument('[jobs...]', 'names, stages or ids (default: all)')
    .option('--reason <text>', 'why, for the record', 'asked for on the command line')
    .option(...homeOption)
    .option(...studyOption)
    .addHelpText('after', examples('her stop', 'her stop rl/11', 'her stop rl --reason "wrong reward"'))
    .action(async (jobs, options) => done(await (await import('./commands/stop.ts')).stop(jobs, options)));

  her
    .command('resume')
    .description('lift a stop or a giving-up; `her run` then goes on')
    .argument('[jobs...]', 'names, stages or ids (default: all that are held)')
    .option('--reason <text>', 'why, for the record', 'asked for on the command line')
    .option(...homeOption)
    .option(...studyOption)
    .addHelpText('after', examples('her resume', 'her resume sft/11'))
    .action(async (jobs, options) =>
      done(await (await import('./commands/resume.ts')).resume(jobs, options)),
    );

  her
    .command('environments')
    .description('set up the trainers (ms-swift, verl) as their locks say')
    .option('--check', 'only say what is there', false)
    .option('--repair', 'remove them first', false)
    .option(...homeOption)
    .addHelpText('after', examples('her environments', 'her environments --check'))
    .action(async (options) =>
      done(await (await import('./commands/environments.ts')).environments(options)),
    );

  addCode(her, done);
  addDoctor(her, done);
  addPlan(her, done);
  addImport(her, done);
  addExplain(her, done);
  addSchema(her, done);
  addInit(her, done);
  addRender(her, done);
  addDiff(her, done);
  addHost(her, done);
  addExec(her, done);
  addFetch(her, done);
  addPrune(her, done);
  addTop(her, done);
  addLedger(her, done);
  addAudit(her, done);
  return her;
}

function addLedger(her: Command, done: (code: number) => void): void {
  const ledger = her.command('ledger').description('the append-only record');
  ledger
    .command('verify')
    .description('hash every stored byte again and hold it against every signed checkpoint')
    .option('--against <file>', 'a checkpoint kept elsewhere, which this ledger must contain')
    .option(...homeOption)
    .option(...studyOption)
    .option('--json', 'the report as JSON', false)
    .addHelpText('after', examples('her ledger verify', 'her ledger verify --against mailed-checkpoint.txt'))
    .action(async (options) => done(await (await import('./commands/ledger.ts')).ledgerVerify(options)));
  ledger
    .command('show')
    .description('entries, one JSON line each')
    .option('--kind <kind...>', 'only these kinds')
    .option('--job <job>', 'only this job or stage')
    .option('--from <index>', 'start at this entry', wholeNumber, 0)
    .option(...homeOption)
    .option(...studyOption)
    .addHelpText(
      'after',
      examples('her ledger show --kind seed.used', 'her ledger show --job rl/11 --kind metric | jq .values'),
    )
    .action(async (options) => done(await (await import('./commands/ledger.ts')).ledgerShow(options)));
}

function addAudit(her: Command, done: (code: number) => void): void {
  const audit = her.command('audit').description('hold the record against the plan');
  audit
    .command('seeds')
    .description('every seed that a trainer used, read back from it, beside what was planned')
    .option(...homeOption)
    .option(...studyOption)
    .option('--json', 'as JSON', false)
    .addHelpText('after', examples('her audit seeds', 'her audit seeds --json'))
    .action(async (options) =>
      done(await (await import('./commands/audit-seeds.ts')).auditSeedsCommand(options)),
    );
}

function examples(...lines: string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`;
}

function wholeNumber(text: string): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!Number.isSafeInteger(value))
    throw new InvalidArgumentError(`a whole number is expected, not ${JSON.stringify(text)}.`);
  return value;
}

export const usageExit = exitCodes.invalid;
