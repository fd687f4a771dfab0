import { copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isThere } from '../environments/uv.ts';
import { fields, git, gitList } from './git.ts';

/** A file that stays here, and the rule that says so. */
export type Ignored = { path: string; rule: string; file: string; line: number };

const ignoreFile = '.herignore';

/**
 * Each file below a folder that a bundle leaves out. Rules of `.herignore` hold for committed files too; those of git for
 * the others alone, as git has it.
 */
export async function explainIgnored(folder: string): Promise<Ignored[]> {
  const kept = await gitList(folder, ['ls-files', '-z', '-c', '-o', '--exclude-standard']);
  const left = await gitList(folder, ['ls-files', '-z', '-o', '-i', '--exclude-standard']);
  const byGit = matches(
    await git(folder, [...checkIgnore], { input: left.map(line).join(''), reject: false }),
  );
  return [...(await ignoredHere(folder, kept)), ...byGit].toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** Which of these paths `.herignore` leaves out. Git itself judges, in a repository that knows no other rule. */
export async function ignoredHere(folder: string, paths: readonly string[]): Promise<Ignored[]> {
  const rules = join(folder, ignoreFile);
  if (paths.length === 0 || !(await isThere(rules))) return [];
  const bare = await mkdtemp(join(tmpdir(), 'her-ignore-'));
  try {
    await git(bare, ['init', '--quiet', '--template=']);
    await copyFile(rules, join(bare, '.gitignore'));
    const alone = ['-c', 'core.excludesFile=', ...checkIgnore];
    const found = await git(bare, alone, { input: paths.map(line).join(''), reject: false });
    return matches(found).map((match) => ({ ...match, file: ignoreFile }));
  } finally {
    await rm(bare, { recursive: true, force: true });
  }
}

const checkIgnore = ['check-ignore', '--no-index', '--verbose', '-z', '--stdin'] as const;

function line(path: string): string {
  return `${path}\0`;
}

/** A rule that begins with `!` takes a file in again. */
function matches(output: Buffer): Ignored[] {
  const all = fields(output);
  const found: Ignored[] = [];
  for (let at = 0; at + 3 < all.length; at += 4) {
    const [file = '', number = '', rule = '', path = ''] = all.slice(at, at + 4);
    if (!rule.startsWith('!')) found.push({ path, rule, file, line: Number(number) });
  }
  return found;
}
