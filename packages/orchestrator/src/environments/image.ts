import { exitCodes, HerError } from '../errors.ts';
import type { NodeSide } from '../place/node-side.ts';
import { parseJson, refusalIn } from '../targets/agent-answer.ts';
import { type InContainer, inContainer } from './container-argv.ts';
import { type SeenEnvironment, seenEnvironment } from './seen.ts';

export type ImageSpec = { image: string; with: 'docker' | 'apptainer' };

export function isImage(spec: unknown): spec is ImageSpec {
  return typeof spec === 'object' && spec !== null && 'image' in spec;
}

/** An image by its digest: a tag may stand before it and says nothing. */
export type ImageReference = { repository: string; digest: string };

/** @throws {HerError} for a reference that does not name the image's bytes */
export function imageReference({ image }: ImageSpec): ImageReference {
  const found = /^(?:docker:\/\/)?([a-z0-9][\w.:/-]*)@(sha256:[0-9a-f]{64})$/.exec(image);
  if (found === null)
    throw new HerError('ENVIRONMENT_SETUP', `${image} does not say which image, byte for byte`, {
      hint: 'Write docker://REGISTRY/NAME@sha256:… with the 64 digits of its digest: docker buildx imagetools inspect NAME:TAG shows it.',
      exitCode: exitCodes.invalid,
    });
  const [, name = '', digest = ''] = found;
  return { repository: name.replace(/:[\w.-]+$/, ''), digest };
}

export type ImageEnvironment = {
  digest: string;
  /** A folder on the node that programs in the image have for their own. */
  home: string;
  /** The command that runs another one in the image. */
  wrap(inside: InContainer): string[];
  look(lockFile: string): Promise<SeenEnvironment>;
};

type Along = { say: (line: string) => void; signal: AbortSignal };

/** Makes sure that a node has an image. */
export async function imageEnvironment(
  node: NodeSide,
  spec: ImageSpec,
  { say, signal }: Along,
): Promise<ImageEnvironment> {
  const reference = imageReference(spec);
  const who = await whoAndWith(node, spec, signal);
  await makeHome(node, signal);
  const name = `${reference.repository}@${reference.digest}`;
  const there = spec.with === 'docker' ? name : `${node.root}/images/${reference.digest.slice(7)}.sif`;
  const steps = spec.with === 'docker' ? dockerSteps(name) : apptainerSteps(name, there);
  const has = await node.runner.run(steps.has, { signal });
  if (has.exitCode !== 0) {
    say(`${node.name}: fetching ${name}`);
    const fetched = await node.runner.run(steps.fetch, { timeout: null, signal });
    if (fetched.exitCode !== 0) throw notFetched(node, spec, name, fetched.stderr);
  }
  const home = `${node.root}/images/home`;
  const wrap = (inside: InContainer): string[] => inContainer(spec.with, there, { ...who, home }, inside);
  return {
    digest: reference.digest,
    home,
    wrap,
    look: (lockFile) => lookInside(node, wrap, lockFile, signal),
  };
}

/** The node's user, who must be allowed to use the tool. */
async function whoAndWith(
  node: NodeSide,
  spec: ImageSpec,
  signal: AbortSignal,
): Promise<{ user: string; program: string }> {
  const ask =
    'command -v "$1" > /dev/null || exit 3; echo "$(id -u):$(id -g)"; command -v "$1"; "$1" "$2" > /dev/null';
  const probe = spec.with === 'docker' ? 'info' : 'version';
  const { exitCode, stdout, stderr } = await node.runner.run(['sh', '-c', ask, 'sh', spec.with, probe], {
    signal,
  });
  const [user = '', program = ''] = stdout.split('\n');
  if (exitCode === 0) return { user, program };
  const said = stderr.trim().split('\n').at(-1) ?? '';
  throw new HerError(
    'ENVIRONMENT_SETUP',
    exitCode === 3
      ? `${node.name} has no ${spec.with}`
      : `${node.name}: ${spec.with} cannot be used: ${said}`,
    {
      hint: `Make ${spec.with} usable for this user there, or name another way by \`environments\`.`,
      exitCode: exitCodes.setup,
    },
  );
}

async function makeHome(node: NodeSide, signal: AbortSignal): Promise<void> {
  const folder = `${node.root}/images/home`;
  const { exitCode, stderr } = await node.runner.run(['mkdir', '-p', '--', folder], { signal });
  if (exitCode !== 0)
    throw new HerError('ENVIRONMENT_SETUP', `${node.name}: ${stderr.trim() || `${folder} cannot be made`}`, {
      hint: 'Give the target a `root` that can be written to.',
      exitCode: exitCodes.setup,
    });
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

async function lookInside(
  node: NodeSide,
  wrap: ImageEnvironment['wrap'],
  lockFile: string,
  signal: AbortSignal,
): Promise<SeenEnvironment> {
  const script =
    'exec python3 "$1" environment --lock "$2" --path "$(python3 -c "import sys; print(sys.prefix)")"';
  const argv = ['sh', '-c', script, 'sh', `${node.bundle}/agent.pyz`, lockFile];
  const inside = { argv, env: [], folders: [node.root], workdir: node.root, gpus: null, name: null };
  const result = await node.runner.run(wrap(inside), { timeout: 600, signal });
  const said = parseJson(result.stdout);
  const refused = refusalIn(said);
  const seen = seenEnvironment.safeParse(said);
  if (refused === undefined && seen.success) return { ...seen.data, python: 'python3' };
  const why = refused?.message ?? (result.stderr.trim().split('\n').at(-1) || `exit code ${result.exitCode}`);
  throw new HerError('ENVIRONMENT_SETUP', `${node.name}: the image cannot be used: ${why}`, {
    hint: 'It needs `python3` 3.11 with the trainer installed, on its own PATH.',
    exitCode: exitCodes.setup,
  });
}

function notFetched(node: NodeSide, spec: ImageSpec, name: string, stderr: string): HerError {
  const said = stderr.trim().split('\n').at(-1) ?? '';
  return new HerError('ENVIRONMENT_SETUP', `${node.name}: ${spec.with} cannot fetch ${name}: ${said}`, {
    hint: `Fetch it there by hand (${spec.with} pull …), or give the node a way to its registry.`,
    exitCode: exitCodes.setup,
  });
}
