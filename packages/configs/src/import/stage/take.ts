import type { OptionValue } from '../../study/settings.ts';
import { textOf } from '../../study/text-of.ts';
import { setHint } from '../unknown.ts';
import type { LeftOver } from './draft.ts';
import type { ReadOption } from './options.ts';

/** The options of a launch, taken one by one; what is never taken goes into the stage's `options`. */
export class Taken {
  readonly #options: Map<string, ReadOption>;
  readonly left: LeftOver[];

  constructor(options: ReadonlyMap<string, ReadOption>, left: readonly LeftOver[]) {
    this.#options = new Map(options);
    this.left = [...left];
  }

  has(name: string): boolean {
    return this.#options.has(name);
  }

  /** The value, which stays where it is. */
  peek(name: string): OptionValue | undefined {
    return this.#options.get(name)?.value;
  }

  lineOf(name: string): number {
    return this.#options.get(name)?.line ?? 0;
  }

  /** The value, which from now on is somebody's. */
  take(name: string): OptionValue | undefined {
    const found = this.#options.get(name);
    this.#options.delete(name);
    if (found !== undefined && found.unknown.length > 0) {
      const message = `\`${shown(found.value)}\` is known to the running script only; it stands in the study as text.`;
      this.note(found.line, found.spelling, 'unknown-value', message, setHint(found.unknown), true);
    }
    return found?.value;
  }

  takeNumber(name: string): number | undefined {
    const value = this.peek(name);
    if (typeof value !== 'number') return undefined;
    this.take(name);
    return value;
  }

  /** Takes an option that this program sets itself, and says so. */
  drop(name: string, message: string): void {
    const found = this.#options.get(name);
    if (found === undefined) return;
    this.#options.delete(name);
    this.note(found.line, found.spelling, 'her-sets', message);
  }

  /** @param kept it is in the study all the same */
  note(
    line: number,
    option: string,
    code: LeftOver['code'],
    message: string,
    hint?: string,
    kept = false,
  ): void {
    this.left.push({
      line,
      option,
      code,
      message,
      ...(hint === undefined ? {} : { hint }),
      ...(kept ? { kept } : {}),
    });
  }

  /** Takes what nobody took, by name. What only running tells is left out: a trainer would read it as it stands. */
  takeRest(): Record<string, OptionValue> {
    const all = [...this.#options];
    this.#options.clear();
    for (const [, { value, line, spelling, unknown }] of all) {
      if (unknown.length === 0) continue;
      const message = `\`${shown(value)}\` is known to the running script only, and was left out.`;
      this.note(line, spelling, 'unknown-value', message, setHint(unknown));
    }
    const entries = all
      .filter(([, { unknown }]) => unknown.length === 0)
      .map(([name, { value }]): [string, OptionValue] => [name, value]);
    return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

const shown = (value: OptionValue): string =>
  Array.isArray(value) ? value.map(textOf).join(' ') : textOf(value);

/** Where a model or a data set is, by how a launch names it. */
export function whereabouts(written: string, of: 'model' | 'data'): { path: string } | { hub: string } {
  const onDisk = /^([./~]|\$|inputs\/)/.test(written) || written.includes('${');
  const isFile = of === 'data' && /\.(jsonl?|csv|parquet|txt|arrow)$/i.test(written);
  const isId = of === 'data' ? /[#:]|^[\w.-]+\/[\w.-]+$/.test(written) : /^[\w.-]+\/[\w.-]+$/.test(written);
  if (of === 'data' && /[#:]/.test(written)) return { hub: written };
  if (onDisk || isFile) return { path: written };
  return isId ? { hub: written } : { path: written };
}
