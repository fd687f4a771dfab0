import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import type { Marker } from './marker.ts';
import { type ProcessId, processId } from './processes.ts';
import { attempt, run } from './run.ts';
import { callerLinksOf, namespacesOf, type Topology } from './topology.ts';

/** In the environment of every process that the bed starts on a host. */
export const tagVariable = 'HER_TESTBED';

/** What a bed puts on all that it makes: it says which folder the bed is in, so that any other can find it. */
export function newTag(dir: string): string {
  return `her-testbed:${dir}:${randomUUID()}`;
}

/** The folder of the bed that this tag is of; `null` where it is no tag of a bed. */
export function folderOf(tag: string): string | null {
  return /^her-testbed:(\/[^:]+):[0-9a-f-]{36}$/.exec(tag)?.[1] ?? null;
}

export type Claim = Pick<Marker, 'tag' | 'state'>;

/**
 * A link or namespace of a bed's names is its own when it carries its tag. While a bed is being made there may be one
 * without any: made a moment before the crash, and not tagged yet.
 */
export function isOurs(alias: string, { tag, state }: Claim): boolean {
  return alias === tag || (alias === '' && state === 'making');
}

/** The alias of a link, `''` where it has none, `null` where there is no such link. */
export async function linkAlias(name: string, at: string | null = null): Promise<string | null> {
  const where = at === null ? [] : ['-n', at];
  const { code, stdout } = await attempt(['ip', ...where, '-json', 'link', 'show', 'dev', name]);
  if (code !== 0) return null;
  const [link]: { ifalias?: string }[] = JSON.parse(stdout);
  return link?.ifalias ?? '';
}

export async function namespaces(): Promise<string[]> {
  const text = (await run(['ip', '-json', 'netns', 'list'])).trim();
  const list: { name: string }[] = text === '' ? [] : JSON.parse(text);
  return list.map(({ name }) => name);
}

/** The links of the caller's own namespace; the alias is `''` where there is none. */
export async function callerLinks(): Promise<{ name: string; alias: string }[]> {
  const links: { ifname: string; ifalias?: string }[] = JSON.parse(
    await run(['ip', '-json', 'link', 'show']),
  );
  return links.map(({ ifname, ifalias = '' }) => ({ name: ifname, alias: ifalias }));
}

/** The names and addresses that a bed would need and somebody else has. */
export async function takenBy(topology: Topology): Promise<string[]> {
  const there = new Set(await namespaces());
  const taken = namespacesOf(topology)
    .filter((name) => there.has(name))
    .map((name) => `the network namespace ${name}`);
  for (const name of callerLinksOf(topology))
    if ((await linkAlias(name)) !== null) taken.push(`the link ${name}`);
  const links: { ifname: string; addr_info: { local: string }[] }[] = JSON.parse(
    await run(['ip', '-json', '-4', 'addr', 'show']),
  );
  for (const { ifname, addr_info: found } of links)
    for (const { local } of found)
      if (/^10\.77\.[012]\./.test(local) && !callerLinksOf(topology).includes(ifname))
        taken.push(`the address ${local} of ${ifname}`);
  return taken;
}

/** Processes with the bed's tag in their environment: also those of an `up` that died before it noted them. */
export async function taggedProcesses(tag: string): Promise<ProcessId[]> {
  const found: ProcessId[] = [];
  const wanted = `${tagVariable}=${tag}`;
  for (const name of await readdir('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    // Processes come and go while they are looked at, and a kernel thread has no environment.
    const environment = await readFile(`/proc/${name}/environ`, 'utf8').catch(() => '');
    if (!environment.split('\0').includes(wanted)) continue;
    const id = await processId(Number(name));
    if (id !== null) found.push(id);
  }
  return found;
}

/** Processes that run in a namespace of the bed. */
export async function processesIn(namespace: string): Promise<number[]> {
  const { stdout } = await attempt(['ip', 'netns', 'pids', namespace]);
  return stdout.split('\n').filter(Boolean).map(Number);
}
