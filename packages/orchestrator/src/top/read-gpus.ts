import { z } from 'zod';

export type GpuLoad = {
  index: number;
  name: string | null;
  /** Percent. */
  use: number | null;
  usedBytes: number | null;
  totalBytes: number | null;
  celsius: number | null;
};

const mib = 1024 * 1024;

/** Lines of `nvidia-smi --query-gpu=… --format=csv,noheader`: `0, NVIDIA H100, 97 %, 71230 MiB, 81559 MiB, 64`. */
export function readNvidia(text: string): GpuLoad[] {
  return text.split('\n').flatMap((line) => {
    const cells = line.split(',').map((cell) => cell.trim());
    const [index = '', name = '', use, used, total, celsius] = cells;
    if (cells.length !== 6 || !/^\d{1,4}$/.test(index)) return [];
    return [
      {
        index: Number(index),
        name: name === '' ? null : name.slice(0, 100),
        use: before(use, '%'),
        usedBytes: times(before(used, 'MiB'), mib),
        totalBytes: times(before(total, 'MiB'), mib),
        celsius: before(celsius, ''),
      },
    ];
  });
}

const cards = z.record(z.string(), z.unknown());
const card = z.record(z.string(), z.coerce.string());

/** `rocm-smi --json`, with the keys that its versions have; warnings may stand before the object. */
export function readRocm(text: string): GpuLoad[] {
  let said: unknown;
  try {
    said = JSON.parse(text.slice(Math.max(0, text.indexOf('{'))));
  } catch {
    return [];
  }
  const parsed = cards.safeParse(said);
  return Object.entries(parsed.success ? parsed.data : {})
    .flatMap(([key, value]): GpuLoad[] => {
      const index = /^card(\d{1,4})$/.exec(key)?.[1];
      const facts = card.safeParse(value);
      if (index === undefined || !facts.success) return [];
      const of = (...names: string[]) =>
        Object.entries(facts.data).find(([name]) =>
          names.some((wanted) => name.toLowerCase() === wanted),
        )?.[1];
      return [
        {
          index: Number(index),
          name: of('card series', 'device name', 'card model')?.slice(0, 100) ?? null,
          use: before(of('gpu use (%)'), ''),
          usedBytes: before(of('vram total used memory (b)'), ''),
          totalBytes: before(of('vram total memory (b)'), ''),
          celsius: before(of('temperature (sensor edge) (c)', 'temperature (sensor junction) (c)'), ''),
        },
      ];
    })
    .sort((a, b) => a.index - b.index);
}

/** The number before a unit; null for `[N/A]` and the like. */
function before(text: string | undefined, unit: string): number | null {
  const found = /^(\d{1,18}(?:\.\d+)?) ?(\S*)$/.exec(text ?? '');
  return found !== null && found[2] === unit ? Number(found[1]) : null;
}

function times(value: number | null, by: number): number | null {
  return value === null ? null : value * by;
}
