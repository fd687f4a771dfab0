import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { installation } from '../home.ts';
import type { ArchiveEntry } from './archive.ts';
import { entriesUnder } from './entries-under.ts';

/**
 * Our own node-side package below `python/`, with the metadata by which the trainers find its plugins: a node has it on
 * PYTHONPATH and installs nothing.
 */
export async function ownPackage(): Promise<ArchiveEntry[]> {
  const root = join(installation, 'workers', 'python');
  const { name, version, entryPoints } = projectOf(await readFile(join(root, 'pyproject.toml'), 'utf8'));
  const metadata = `python/${name.replaceAll('-', '_')}-${version}.dist-info`;
  return [
    ...(await entriesUnder(join(root, 'src', 'her_workers'), 'python/her_workers')),
    {
      path: `${metadata}/METADATA`,
      bytes: Buffer.from(`Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\n`),
    },
    { path: `${metadata}/entry_points.txt`, bytes: Buffer.from(entryPoints) },
  ];
}

/** Of our own pyproject.toml, which is written in the plain way that this reads. */
function projectOf(text: string): { name: string; version: string; entryPoints: string } {
  const tables = text.split(/^(?=\[)/m).map((table) => {
    const [head = '', ...lines] = table.split('\n');
    return { head: head.trim(), lines };
  });
  const project = tables.find(({ head }) => head === '[project]')?.lines ?? [];
  const field = (key: string): string => {
    const found = project.map((line) => new RegExp(`^${key} = "(.+)"$`).exec(line)?.[1]).find(Boolean);
    if (found === undefined) throw new TypeError(`pyproject.toml names no ${key}`);
    return found;
  };
  const groups = tables.flatMap(({ head, lines }) => {
    const group = /^\[project\.entry-points\."(.+)"\]$/.exec(head)?.[1];
    if (group === undefined) return [];
    const points = lines.flatMap((line) => {
      const found = /^([\w-]+) = "(.+)"$/.exec(line);
      return found === null ? [] : [`${found[1]} = ${found[2]}`];
    });
    return [`[${group}]\n${points.join('\n')}\n`];
  });
  return { name: field('name'), version: field('version'), entryPoints: groups.join('\n') };
}
