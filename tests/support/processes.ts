import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

export type Found = { pid: number; cwd: string; command: string[] };

/** Processes of this user whose working directory is under `folder`: the ranks of attempts there. */
export function processesUnder(folder: string): Found[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const cwd = readlinkSync(`/proc/${name}/cwd`);
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').split('\0').filter(Boolean);
        return cwd.startsWith(folder) ? [{ pid: Number(name), cwd, command }] : [];
      } catch (gone) {
        // A process that ended between the listing and the look is not there.
        if (gone instanceof Error && 'code' in gone) return [];
        throw gone;
      }
    });
}

/** The trainer of an attempt, as opposed to its agent. */
export function trainersUnder(folder: string): Found[] {
  return processesUnder(folder).filter(({ command }) =>
    command.some((word) => /sft\.py$|main_ppo$|her_workers/.test(word)),
  );
}

export function agentsUnder(folder: string): Found[] {
  return processesUnder(folder).filter(({ command }) =>
    command.some((word) => /agent-[0-9a-f]+\.pyz$/.test(word)),
  );
}
