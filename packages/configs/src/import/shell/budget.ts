import { ImportError } from '../problem.ts';

/** How much a script may ask for before reading it is given up. Ordinary launch scripts stay far below. */
export const limits = {
  /** Characters of the script. */
  source: 1_000_000,
  /** Commands, expansions and operations, all together. */
  steps: 200_000,
  /** Nested commands, functions, substitutions. */
  depth: 120,
  /** Characters made by expansions, all together. */
  characters: 20_000_000,
  /** Characters of one value. */
  value: 500_000,
  /** Rounds of one loop. */
  rounds: 2_000,
  /** Elements of one array, words of one command. */
  items: 10_000,
  /** Launches and other commands kept. */
  commands: 2_000,
} as const;

export type Limit = keyof typeof limits;

/** Counts what reading a script costs, so that no script can hang it or fill the memory. */
export class Budget {
  readonly #file: string;
  readonly #spent: Record<'steps' | 'characters' | 'depth' | 'commands', number> = {
    steps: 0,
    characters: 0,
    depth: 0,
    commands: 0,
  };

  constructor(file: string) {
    this.#file = file;
  }

  spend(what: 'steps' | 'characters' | 'commands', amount: number, line: number): void {
    this.#spent[what] += amount;
    if (this.#spent[what] > limits[what]) this.exceeded(what, line);
  }

  /** Runs `inner` one level deeper. */
  nested<T>(line: number, inner: () => T): T {
    this.#spent.depth += 1;
    if (this.#spent.depth > limits.depth) this.exceeded('depth', line);
    this.spend('steps', 1, line);
    try {
      return inner();
    } finally {
      this.#spent.depth -= 1;
    }
  }

  check(what: 'value' | 'items', amount: number, line: number): void {
    if (amount > limits[what]) this.exceeded(what, line);
  }

  exceeded(what: Limit, line: number): never {
    throw new ImportError({
      code: 'IMPORT_LIMIT',
      message: `the script needs more than can be read: ${what} over ${limits[what]}.`,
      hint: 'Cut the launch out of the script and import that.',
      place: { file: this.#file, line, column: 1 },
    });
  }
}
