import { exitCodes, HerError } from '../errors.ts';
import type { NodeSide } from '../place/node-side.ts';
import { toolsLastWord } from './container-tool.ts';

/** An image by its digest: a tag may stand before it and says nothing. */
export type ImageReference = { repository: string; digest: string };

type Tool = 'docker' | 'apptainer';
type Along = { say: (line: string) => void; signal: AbortSignal };

const beatMs = 15_000;

/**
 * Makes sure that a node has an image, whose bytes the digest names.
 * @returns what the tool knows it by there
 * @throws {HerError} `ENVIRONMENT_SETUP` with what the tool said
 */
export async function fetchImage(
  node: NodeSide,
  tool: Tool,
  { repository, digest }: ImageReference,
  { say, signal }: Along,
): Promise<string> {
  const name = `${repository}@${digest}`;
  const there = tool === 'docker' ? name : `${node.root}/images/${digest.slice(7)}.sif`;
  const steps = tool === 'docker' ? dockerSteps(name) : apptainerSteps(name, there);
  const has = await node.runner.run(steps.has, { signal });
  if (has.exitCode === 0) return there;
  say(`${node.name}: fetching ${name}`);
  const started = performance.now();
  const soFar = (): number => Math.round((performance.now() - started) / 1000);
  const beat = setInterval(() => say(`${node.name}: fetching the image, ${soFar()} s so far`), beatMs);
  try {
    const { exitCode, stderr } = await node.runner.run(steps.fetch, { timeout: null, signal });
    if (exitCode !== 0) throw notFetched(node, tool, name, stderr);
  } finally {
    clearInterval(beat);
  }
  say(`${node.name}: the image is there after ${soFar()} s`);
  return there;
}

type Steps = { has: string[]; fetch: string[] };

function dockerSteps(name: string): Steps {
  return {
    has: ['docker', 'image', 'inspect', '--format', '{{.Id}}', name],
    fetch: ['docker', 'pull', '--quiet', name],
  };
}

/** Its own name for it is a file; it counts once it is whole. */
function apptainerSteps(name: string, file: string): Steps {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the shell's own expansion
  const pull = 'mkdir -p "${2%/*}" && apptainer pull --force "$2.$$" "$1" && mv -f "$2.$$" "$2"';
  return { has: ['test', '-f', file], fetch: ['sh', '-c', pull, 'sh', `docker://${name}`, file] };
}

function notFetched(node: NodeSide, tool: Tool, name: string, stderr: string): HerError {
  return new HerError(
    'ENVIRONMENT_SETUP',
    `${node.name}: ${tool} cannot fetch ${name}: ${toolsLastWord(stderr)}`,
    {
      hint: `Fetch it there by hand (${tool} pull …), or give the node a way to its registry.`,
      exitCode: exitCodes.setup,
    },
  );
}
