import { exitCodes, HerError } from '../errors.ts';
import type { NodeSide } from '../place/node-side.ts';
import { parseJson, refusalIn } from '../targets/agent-answer.ts';
import { type InContainer, inContainer } from './container-argv.ts';
import { toolsLastWord } from './container-tool.ts';
import { fetchImage, type ImageReference } from './image-fetch.ts';
import { type SeenEnvironment, seenEnvironment } from './seen.ts';

export type ImageSpec = { image: string; with: 'docker' | 'apptainer' };

export function isImage(spec: unknown): spec is ImageSpec {
  return typeof spec === 'object' && spec !== null && 'image' in spec;
}

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

/** The command that runs another one in the image. */
type Wrap = (inside: InContainer) => string[];

export type ImageEnvironment = {
  digest: string;
  /** A folder on the node that programs in the image have for their own. */
  home: string;
  wrap: Wrap;
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
  const there = await fetchImage(node, spec.with, reference, { say, signal });
  const home = `${node.root}/images/home`;
  const wrapWith =
    (memlock: boolean): Wrap =>
    (inside) =>
      inContainer(spec.with, there, { ...who, home, memlock }, inside);
  const wrap = wrapWith(
    spec.with === 'docker' && (await mayLockMemory(node, wrapWith(true), { say, signal })),
  );
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
  const said = toolsLastWord(stderr);
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

/**
 * A daemon without CAP_SYS_RESOURCE, as a rootless one is, may not lift the limit on locked memory. RDMA needs it
 * lifted; nothing else does.
 */
async function mayLockMemory(node: NodeSide, wrap: Wrap, { say, signal }: Along): Promise<boolean> {
  const { exitCode, stderr } = await node.runner.run(wrap(only(node, ['true'])), { timeout: 600, signal });
  if (exitCode === 0 || !/error setting rlimit/.test(stderr)) return true;
  say(`${node.name}: docker may not lift the limit on locked memory there; RDMA in containers may need it`);
  return false;
}

/** A command that reads what her has on the node, and has no GPU. */
function only({ root }: NodeSide, argv: readonly string[]): InContainer {
  return { argv, env: [], folders: [root], workdir: root, gpus: null, name: null };
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

async function lookInside(
  node: NodeSide,
  wrap: Wrap,
  lockFile: string,
  signal: AbortSignal,
): Promise<SeenEnvironment> {
  const argv = ['python', `${node.bundle}/agent.pyz`, 'environment', '--lock', lockFile];
  const result = await node.runner.run(wrap(only(node, argv)), { timeout: 600, signal });
  const said = parseJson(result.stdout);
  const refused = refusalIn(said);
  const seen = seenEnvironment.safeParse(said);
  if (refused === undefined && seen.success) return { ...seen.data, python: 'python' };
  const why = refused?.message ?? (toolsLastWord(result.stderr) || `exit code ${result.exitCode}`);
  throw new HerError('ENVIRONMENT_SETUP', `${node.name}: the image cannot be used: ${why}`, {
    hint: 'It needs `python` 3.11 with the trainer installed, on its own PATH.',
    exitCode: exitCodes.setup,
  });
}
