import { z } from 'zod';
import { sendProgram } from '../bundle/send-program.ts';
import { exitCodes, HerError } from '../errors.ts';
import { askNode, type NodeSide } from '../place/node-side.ts';
import { uvVersion } from './uv.ts';

const answer = z.object({
  uv: z.string().nullable(),
  version: z.string().nullable(),
  system: z.string(),
  arch: z.string(),
  libc: z.string(),
});

type Options = {
  say: (line: string) => void;
  signal: AbortSignal;
  uv?: (() => Promise<string>) | undefined;
};

/** A uv on the node that reads our locks: one that is there, else this machine's, where it can run there too. */
export async function uvOnNode(node: NodeSide, { say, signal, uv }: Options): Promise<string> {
  const own = `uv-${uvVersion}`;
  const found = await askNode(node, ['environment-uv', '--root', node.root, '--name', own], answer, {
    signal,
  });
  if (found.uv !== null && found.version !== null && reads(found.version)) return found.uv;
  if (uv === undefined || !runsThere(found)) throw none(node, found);
  say(`${node.name}: sending uv ${uvVersion}`);
  return await sendProgram(node.runner, node.root, own, await uv(), { python: node.python, signal });
}

/** The format of a lock grows with the minor version; newer ones read older locks. */
function reads(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [ourMajor = 0, ourMinor = 0] = uvVersion.split('.').map(Number);
  return major === ourMajor && minor >= ourMinor;
}

function runsThere({ system, arch, libc }: z.infer<typeof answer>): boolean {
  const ours = { x64: 'x86_64', arm64: 'aarch64' }[process.arch as string];
  return process.platform === 'linux' && system === 'Linux' && arch === ours && libc === 'glibc';
}

function none(node: NodeSide, { version, system, arch }: z.infer<typeof answer>): HerError {
  const has = version === null ? 'has no uv' : `has uv ${version}, which may not read our locks`;
  const here = `${process.platform} on ${process.arch}`;
  return new HerError(
    'ENVIRONMENT_SETUP',
    `${node.name} ${has}, and that of this machine (${here}) does not run there (${system} on ${arch})`,
    {
      hint: `On ${node.name}: curl -LsSf https://astral.sh/uv/${uvVersion}/install.sh | env UV_INSTALL_DIR=${node.root}/bin UV_NO_MODIFY_PATH=1 sh`,
      exitCode: exitCodes.setup,
    },
  );
}
