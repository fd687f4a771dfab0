#!/usr/bin/env node
import { enableCompileCache } from 'node:module';

enableCompileCache();

const { CommanderError } = await import('commander');
const { buildCli, usageExit } = await import('./cli.ts');

try {
  await buildCli((code) => {
    process.exitCode = code;
  }).parseAsync();
} catch (error) {
  if (error instanceof CommanderError) process.exitCode = error.exitCode === 0 ? 0 : usageExit;
  else process.exitCode = (await import('./report-error.ts')).reportError(error, process.stderr);
}
