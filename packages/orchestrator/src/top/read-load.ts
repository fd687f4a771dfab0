import { type GpuLoad, readNvidia, readRocm } from './read-gpus.ts';

export type NodeLoad = {
  load: number | null;
  cores: number | null;
  memory: { usedBytes: number; totalBytes: number } | null;
  diskFreeBytes: number | null;
  gpus: GpuLoad[];
  /** The tool for GPUs that the node has; null: it has none, and is CPU only as far as we can see. */
  gpuTool: 'nvidia-smi' | 'rocm-smi' | null;
  /** Why that tool told nothing. */
  gpuProblem: string | null;
};

/** Reads what the script printed on a node; null where it is not whole. All of it is data: what is odd is left out. */
export function readLoad(text: string): NodeLoad | null {
  const parts = new Map<string, string>();
  for (const [, name = '', body = ''] of text.matchAll(/^== (\w+)\n([\s\S]*?)(?=^== |(?![\s\S]))/gm))
    parts.set(name, body);
  if (!parts.has('end')) return null;
  const kib = (name: string): number | null => {
    const found = new RegExp(`^${name}: +(\\d{1,15}) kB$`, 'm').exec(parts.get('memory') ?? '')?.[1];
    return found === undefined ? null : Number(found) * 1024;
  };
  const [total, free] = [kib('MemTotal'), kib('MemAvailable')];
  const disk = /^\S.*?\s+\d+\s+-?\d+\s+(\d{1,15})\s+\S+%\s/.exec(parts.get('disk') ?? '')?.[1];
  return {
    load: numberIn(/^(\d+\.\d+) /.exec(parts.get('load') ?? '')?.[1]),
    cores: numberIn(/^(\d{1,6})$/m.exec(parts.get('cores') ?? '')?.[1]),
    memory: total === null || free === null ? null : { usedBytes: total - free, totalBytes: total },
    diskFreeBytes: disk === undefined ? null : Number(disk) * 1024,
    ...gpusIn(parts),
  };
}

function gpusIn(parts: ReadonlyMap<string, string>): Pick<NodeLoad, 'gpus' | 'gpuTool' | 'gpuProblem'> {
  const nvidia = parts.get('nvidia');
  const rocm = parts.get('rocm');
  const said = nvidia ?? rocm;
  if (said === undefined) return { gpus: [], gpuTool: null, gpuProblem: null };
  const gpus = nvidia === undefined ? readRocm(said) : readNvidia(nvidia);
  const gpuTool = nvidia === undefined ? 'rocm-smi' : 'nvidia-smi';
  const gpuProblem =
    gpus.length > 0 ? null : said.trim().split('\n')[0]?.slice(0, 300) || 'it said nothing in time';
  return { gpus, gpuTool, gpuProblem };
}

function numberIn(text: string | undefined): number | null {
  return text === undefined ? null : Number(text);
}
