import { createHash } from 'node:crypto';
import { exitCodes, HerError } from '../errors.ts';
import { askNode, type NodeSide } from '../place/node-side.ts';
import { type ImageSpec, imageEnvironment, isImage } from './image.ts';
import {
  type EnvironmentLock,
  type EnvironmentName,
  environmentLabels,
  readEnvironmentLock,
} from './lock-file.ts';
import { type LockedOptions, syncedFolder } from './on-node-sync.ts';
import { type SeenEnvironment, sayDifferences, seenEnvironment } from './seen.ts';

/** Where the trainers of a target come from: our locks, an environment that is there, or an image. */
export type EnvironmentSpec = 'locked' | { path: string } | ImageSpec;

/** A trainer environment on a node, known to be the one that the lock asks for. */
export type NodeEnvironment = {
  name: EnvironmentName;
  /** Its programs; null in an image, whose own PATH holds. */
  bin: string | null;
  python: string;
  lockDigest: string;
  packages: Record<string, string>;
  facts: Record<string, string | number>;
  /** What every command has to go through; null outside of images. */
  image: ImageEnvironmentUse | null;
};

type ImageEnvironmentUse = Awaited<ReturnType<typeof imageEnvironment>>;

/**
 * Makes sure that a node has a trainer's environment, and says what is in it. Repeated, it finds it by one look.
 * @throws {HerError} `ENVIRONMENT_SETUP`, `DISK_FULL` with what to do; `AGENT_UNREACHABLE`
 */
export async function ensureNodeEnvironment(
  node: NodeSide,
  spec: EnvironmentSpec,
  name: EnvironmentName,
  options: LockedOptions,
): Promise<NodeEnvironment> {
  const lock = await readEnvironmentLock(name, options.gpus);
  const lockFile = `${node.bundle}/envs/${lock.lock}/uv.lock`;
  if (isImage(spec)) {
    const image = await imageEnvironment(node, spec, options);
    const seen = await image.look(lockFile);
    return found(node, lock, seen, options, { bin: null, image });
  }
  const path = spec === 'locked' ? await syncedFolder(node, lock, options) : spec.path;
  const args = ['environment', '--path', path, '--lock', lockFile];
  const seen = await askNode(node, args, seenEnvironment, { timeout: 240, signal: options.signal });
  return found(node, lock, seen, options, { bin: `${seen.path}/bin`, image: null });
}

function found(
  node: NodeSide,
  lock: EnvironmentLock,
  seen: SeenEnvironment,
  { say }: LockedOptions,
  where: Pick<NodeEnvironment, 'bin' | 'image'>,
): NodeEnvironment {
  refuseOtherTrainer(node, lock.name, seen);
  const differences = sayDifferences(node.name, environmentLabels[lock.name], seen, say);
  const image = where.image === null ? {} : { image: where.image.digest };
  const facts = { environment: lock.lock, ...seen.facts, ...image, packages: packagesDigest(seen.packages) };
  return {
    name: lock.name,
    python: seen.python,
    lockDigest: lock.digest,
    packages: seen.packages,
    facts: differences === 0 ? facts : { ...facts, differences },
    ...where,
  };
}

/** The list as `pip freeze` writes it, sorted. */
function packagesText(packages: Record<string, string>): string {
  const names = Object.keys(packages).toSorted();
  return names.map((name) => `${name}==${packages[name]}\n`).join('');
}

function packagesDigest(packages: Record<string, string>): string {
  return createHash('sha256').update(packagesText(packages)).digest('hex');
}

const trainers = { swift: 'ms-swift', verl: 'verl' } as const;

function refuseOtherTrainer(node: NodeSide, name: EnvironmentName, seen: SeenEnvironment): void {
  const trainer = trainers[name];
  const lacking = seen.missing.some((one) => one.name === trainer);
  const other = seen.other.find((one) => one.name === trainer);
  if (!lacking && other === undefined) return;
  const has = other === undefined ? `no ${trainer}` : `${trainer} ${other.found}`;
  throw new HerError(
    'ENVIRONMENT_SETUP',
    `${node.name}: ${seen.path} has ${has}; the study's options are those of ${environmentLabels[name]}`,
    {
      hint: `Install it there: ${seen.python} -m pip install ${environmentLabels[name].replace(' ', '==')}; or say \`environments: locked\`.`,
      exitCode: exitCodes.setup,
    },
  );
}
