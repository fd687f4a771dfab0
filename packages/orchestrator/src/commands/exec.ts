import { exitCodes, HerError } from '../errors.ts';
import { attemptSurroundings } from '../exec/attempt-surroundings.ts';
import type { Asked } from '../exec/far-side.ts';
import { findPlan } from '../exec/find-plan.ts';
import type { Frame } from '../exec/frames.ts';
import { type Place, runOn } from '../exec/run-on.ts';
import { chosenPlaces, studyPlaces } from '../exec/study-places.ts';
import { openHome } from '../home.ts';
import { LineCutter } from '../logs/line-cutter.ts';
import { linePrinter, writeAll } from '../logs/line-printer.ts';
import { secretVariables } from '../secrets/withhold.ts';
import { oneLine } from '../views/words.ts';

export type ExecOptions = {
  home?: string;
  target?: string;
  node?: string;
  all: boolean;
  attempt?: string;
  shell: boolean;
  json: boolean;
};

type Ending = { node: string; exitCode: number | null; why: string | null };

/** `her exec STUDY -- COMMAND`: runs a command on nodes of a study. Nothing of it is recorded. */
export async function exec(study: string, words: readonly string[], options: ExecOptions): Promise<number> {
  if (words.length === 0)
    throw new HerError('ARGUMENT_INVALID', 'no command', {
      hint: 'Write it after `--`: her exec STUDY -- uptime',
    });
  const home = openHome(options.home);
  const say = (line: string): void => void process.stderr.write(`${oneLine(line)}\n`);
  const found = await findPlan(home, study, options.target);
  const places = chosenPlaces(await studyPlaces(found.plan, home, say), options);
  const argv = options.shell ? ['sh', '-c', words.join(' ')] : [...words];
  const without = [...Object.keys(found.plan.secrets), ...secretVariables(found.plan)];
  const letGo = new AbortController();
  const onSignal = (): void => letGo.abort();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  const show = options.json ? jsonLines() : places.length > 1 ? prefixedLines() : asTheyCome;
  try {
    const surroundings = await attemptSurroundings(home, study, options.attempt);
    const run = async (place: Place): Promise<Ending> => {
      const { env, cwd } = await surroundings.on(place.name);
      const asked: Asked = { argv, env, cwd, without };
      const printer = show(place.name);
      const exitCode = await runOn(place, asked, printer.put, letGo.signal).finally(printer.end);
      return { node: place.name, exitCode, why: null };
    };
    const endings = await Promise.all(places.map((place) => run(place).catch(asEnding(place.name)))).finally(
      surroundings.close,
    );
    await tell(endings, options, say);
    return letGo.signal.aborted ? exitCodes.detached : worst(endings);
  } finally {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
    await Promise.all(places.map(({ runner }) => runner.close()));
  }
}

const asEnding =
  (node: string) =>
  (error: unknown): Ending => {
    if (!(error instanceof HerError)) throw error;
    // Codes of `her` itself would be taken for the command's.
    return { node, exitCode: null, why: `${error.message} [${error.code}]` };
  };

/** The highest of the commands'; 255, as ssh has it, where one could not be run or its end is not known. */
function worst(endings: readonly Ending[]): number {
  return Math.max(...endings.map(({ exitCode }) => exitCode ?? 255));
}

async function tell(endings: readonly Ending[], { json }: ExecOptions, say: (line: string) => void) {
  if (json) for (const ending of endings) await writeAll(process.stdout, `${JSON.stringify(ending)}\n`);
  for (const { node, exitCode, why } of endings) {
    if (why !== null) say(`${node}: ${why}`);
    else if (endings.length > 1 && exitCode !== 0) say(`${node}: exit code ${exitCode}`);
  }
}

type Printer = { put: (frame: Frame) => Promise<void>; end: () => Promise<void> };

/** One node: both streams are what the command made of them. */
function asTheyCome(): Printer {
  return {
    put: ({ stream, data }) => writeAll(stream === 'out' ? process.stdout : process.stderr, data),
    end: async () => undefined,
  };
}

function prefixedLines(): (node: string) => Printer {
  const printers = { out: linePrinter(process.stdout), err: linePrinter(process.stderr) };
  return (node) => inLines((stream, text) => printers[stream](node, text));
}

function jsonLines(): (node: string) => Printer {
  return (node) =>
    inLines((stream, text) => writeAll(process.stdout, `${JSON.stringify({ node, stream, text })}\n`));
}

function inLines(print: (stream: Frame['stream'], text: string) => Promise<void>): Printer {
  const cutters = { out: new LineCutter(0), err: new LineCutter(0) };
  return {
    put: async ({ stream, data }) => {
      for (const { text } of cutters[stream].feed(data)) await print(stream, text);
    },
    end: async () => {
      for (const stream of ['out', 'err'] as const)
        for (const { text } of cutters[stream].rest()) await print(stream, text);
    },
  };
}
