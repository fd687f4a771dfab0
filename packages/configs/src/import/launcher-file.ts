import { type Entry, readTree } from './config-tree.ts';
import type { ImportValue, Launcher, TrainerCommand } from './trainer-command.ts';

/**
 * A launch with what the file of its launcher says: accelerate's config or DeepSpeed's list of hosts. The launcher's
 * own words win.
 */
export function withLauncherFile(launch: TrainerCommand, text: string): TrainerCommand {
  const { launcher } = launch;
  const told =
    launcher.program === 'deepspeed' ? hostsOf(text) : accelerateConfig(text, launcher.file ?? 'config.yaml');
  const { file: _, ...own } = launcher;
  return {
    ...launch,
    launcher: {
      ...told,
      ...own,
      ...(told.spread || own.spread ? { spread: { ...told.spread, ...own.spread } } : {}),
    },
  };
}

/** `host slots=8`, one a line. */
function hostsOf(text: string): Launcher {
  const lines = text.split(/\r?\n/).map((line) => line.replace(/#.*$/, '').trim());
  const hosts = lines.filter((line) => line !== '');
  const slots = new Set(hosts.map((line) => /\bslots=(\d+)/.exec(line)?.[1] ?? '?'));
  return {
    other: [],
    ...(hosts.length === 0 ? {} : { nnodes: String(hosts.length) }),
    // Hosts of different sizes have no one number.
    ...(slots.size === 0 ? {} : { nprocPerNode: [...slots].join(', ') }),
  };
}

function accelerateConfig(text: string, file: string): Launcher {
  const entries = readTree(text, file, file.endsWith('.json') ? 'json' : 'pyyaml');
  const of = (name: string): ImportValue => entries.find(({ key }) => key === name)?.value ?? null;
  const nodes = of('num_machines');
  const processes = of('num_processes');
  const kind = String(of('distributed_type') ?? '').toUpperCase();
  const spread: Record<string, string> = {
    ...(kind === 'FSDP' ? { use_fsdp: 'true', ...wordsOf(entries, 'fsdp_config', 'fsdp_') } : {}),
    ...(kind === 'DEEPSPEED' ? { use_deepspeed: 'true', ...wordsOf(entries, 'deepspeed_config', '') } : {}),
    ...(kind === 'MEGATRON_LM' ? { use_megatron_lm: 'true' } : {}),
  };
  return {
    other: [],
    ...(nodes === null ? {} : { nnodes: String(nodes) }),
    ...(processes === null ? {} : { numProcesses: String(processes) }),
    ...(Object.keys(spread).length === 0 ? {} : { spread }),
  };
}

function wordsOf(entries: readonly Entry[], group: string, prefix: string): Record<string, string> {
  const inner = entries.find(({ key }) => key === group)?.inner ?? [];
  return Object.fromEntries(
    inner
      .filter(({ value }) => value !== null)
      .map(({ key, value }) => [
        key.startsWith(prefix) ? key : `${prefix}${key}`,
        typeof value === 'object' ? JSON.stringify(value) : String(value),
      ]),
  );
}
