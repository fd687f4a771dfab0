import { join } from 'node:path';
import { isThere } from '../environments/uv.ts';
import { unfit } from './code-errors.ts';
import { git, gitList } from './git.ts';

/** A file as a commit or a work tree has it, its bytes not read yet. */
export type Listed = {
  path: string;
  size: number;
  kind: 'file' | 'executable' | 'link';
  read: () => Promise<Buffer>;
};

/** Files of a commit below a folder, those of its submodules at the commits that it names among them. */
export async function committedFiles(
  folder: string,
  commit: string,
  submodules: Record<string, string>,
  prefix = '',
): Promise<Listed[]> {
  const rows = await gitList(folder, ['ls-tree', '-r', '-l', '-z', commit]);
  const objects: { path: string; object: string; size: number; kind: Listed['kind'] }[] = [];
  const inner: Listed[] = [];
  for (const row of rows) {
    const [, mode = '', type = '', object = '', size = '', path = ''] =
      /^(\d+) (\w+) ([0-9a-f]+) +(\d+|-)\t([\s\S]+)$/.exec(row) ?? [];
    if (type === 'commit') {
      const below = join(folder, path);
      if (!(await isThere(join(below, '.git'))))
        throw unfit(folder, path, 'is a submodule that is not checked out: git submodule update --init');
      submodules[`${prefix}${path}`] = object;
      inner.push(...(await committedFiles(below, object, submodules, `${prefix}${path}/`)));
    } else objects.push({ path, object, size: Number(size), kind: kindOf(mode) });
  }
  let contents: Promise<Map<string, Buffer>> | undefined;
  const files = objects.map(({ path, object, size, kind }) => ({
    path: `${prefix}${path}`,
    size,
    kind,
    read: async () => {
      contents ??= blobs(folder, [...new Set(objects.map((one) => one.object))]);
      const bytes = (await contents).get(object);
      if (bytes === undefined) throw unfit(folder, path, 'is not in the repository');
      if (isPointer(bytes)) throw unfit(folder, path, 'is a Git LFS pointer, whose bytes git does not hold');
      return bytes;
    },
  }));
  return [...files, ...inner];
}

export function kindOf(mode: string): Listed['kind'] {
  if (mode === '120000') return 'link';
  return mode === '100755' ? 'executable' : 'file';
}

function isPointer(bytes: Buffer): boolean {
  return (
    bytes.length < 1024 && bytes.toString('latin1').startsWith('version https://git-lfs.github.com/spec/')
  );
}

async function blobs(folder: string, objects: readonly string[]): Promise<Map<string, Buffer>> {
  const output = await git(folder, ['cat-file', '--batch'], {
    input: objects.map((one) => `${one}\n`).join(''),
  });
  const found = new Map<string, Buffer>();
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf(10, at);
    const [object = '', type, size = ''] = output.toString('latin1', at, end).split(' ');
    at = end + 1;
    if (type === 'missing') continue;
    found.set(object, output.subarray(at, at + Number(size)));
    at += Number(size) + 1;
  }
  return found;
}
