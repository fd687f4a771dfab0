#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

enableCompileCache();

const { CommanderError } = await import('commander');
const { buildCli, usageExit } = await import('./cli.ts');

// `her ledger show | head -1`: the reader has seen enough, which is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  void import('./report-error.ts').then(({ reportOutput }) =>
    process.exit(reportOutput(error, process.stderr)),
  );
});
// A run goes on though nobody reads its progress any more, or there is no room for it; and nobody could be told.
process.stderr.on('error', () => undefined);

try {
  await buildCli((code) => {
    process.exitCode = code;
  }).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : usageExit;
  else process.exitCode = (await import('./report-error.ts')).reportError(error, process.stderr);
}
