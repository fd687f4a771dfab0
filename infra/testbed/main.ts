import { down } from './down.ts';
import { TestbedError } from './errors.ts';
import { bootAgain, crash, execOn, setLink, setRelay } from './host-commands.ts';
import { parseCommandLine, usage } from './options.ts';
import { checkedDir, placesIn } from './places.ts';
import { inWords, reportOf } from './report.ts';
import { openBed, statesOf } from './status.ts';
import { up } from './up.ts';

const say = (text: string): void => void process.stderr.write(`${text}\n`);

async function main(args: readonly string[]): Promise<number> {
  const { dir, json, command } = parseCommandLine(args);
  if (command.do === 'help') {
    process.stdout.write(usage);
    return 0;
  }
  const places = placesIn(checkedDir(dir));
  if (process.getuid?.() !== 0)
    throw new TestbedError('BED_NOT_ROOT', 'namespaces and links need root', 'Run it as root.');
  process.umask(0o022);
  switch (command.do) {
    case 'up':
      await up(command.options, places, say);
      break;
    case 'status':
      break;
    case 'down': {
      const { was, left } = await down(places);
      if (json) process.stdout.write(`${JSON.stringify({ was, left })}\n`);
      else say(was ? 'The bed is removed.' : `There is no bed in ${places.dir}.`);
      for (const what of left) say(`Left alone: ${what}.`);
      return left.length === 0 ? 0 : 1;
    }
    case 'exec':
      return execOn(places, command.host, command.argv);
    case 'cut':
      await setLink(places, command.host, 'down');
      return 0;
    case 'restore':
      await setLink(places, command.host, 'up');
      return 0;
    case 'delay':
      await setRelay(places, command.host, { delayMs: command.ms });
      return 0;
    case 'pause':
    case 'resume':
      await setRelay(places, command.host, { paused: command.do === 'pause' });
      return 0;
    case 'crash':
      await crash(places, command.host);
      return 0;
    case 'boot':
      await bootAgain(places, command.host);
      return 0;
  }
  const marker = await openBed(places);
  const report = reportOf(marker, places, await statesOf(marker));
  process.stdout.write(json ? `${JSON.stringify(report, null, 2)}\n` : inWords(report));
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof TestbedError)) throw error;
  say(`${error.message}\n${error.hint} [${error.code}]`);
  process.exitCode = error.code === 'BED_USAGE' ? 2 : 1;
}
