import { mkdir, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { execa } from 'execa';

export type GitTree = {
  folder: string;
  write(files: Record<string, string>): Promise<void>;
  git(...args: string[]): Promise<string>;
  commit(files?: Record<string, string>): Promise<string>;
};

/** A repository in a new folder. */
export async function gitTree(): Promise<GitTree> {
  const folder = await mkdtemp(join(tmpdir(), 'her-code-'));
  const git = async (...args: string[]): Promise<string> => {
    const who = ['-c', 'user.name=A', '-c', 'user.email=a@example.org', '-c', 'protocol.file.allow=always'];
    return (await execa('git', ['-C', folder, ...who, ...args])).stdout;
  };
  const write = async (files: Record<string, string>): Promise<void> => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
  };
  await git('init', '--quiet');
  return {
    folder,
    write,
    git,
    commit: async (files = {}) => {
      await write(files);
      await git('add', '-A');
      await git('commit', '--quiet', '--allow-empty', '-m', 'c');
      return await git('rev-parse', 'HEAD');
    },
  };
}
