import { wrappedTable } from './wrapped-table.ts';

/** Something of a script that is not in the study as it stood. `line` 0: nothing in the script stands for it. */
export type ImportRow = {
  file: string;
  line: number;
  option: string;
  code: string;
  message: string;
  hint?: string;
};

export type ImportView = {
  /** How many were imported. */
  scripts: number;
  stages: readonly string[];
  rows: readonly ImportRow[];
  /** What is wrong with the study as imported. */
  open: readonly string[];
  settings: { all: number; carried: number };
  /** The file that was written, or none. */
  out?: string | undefined;
};

/** What an import comes to, in parts of lines. */
export function importedView(view: ImportView, width: number): string[][] {
  const { scripts, stages, rows, open, settings, out } = view;
  const many = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
  return [
    [`${many(stages.length, 'stage')}: ${stages.join(', ') || 'none'}`],
    rows.length === 0
      ? ['everything was carried over']
      : [
          'not in the study as it stood (`her import --help` has the words)',
          ...wrappedTable(['where', 'what', 'option', 'why'], grouped(rows).map(cellsOf), width),
        ],
    open.length === 0 ? [] : ['to settle before it can be planned', ...open.map((line) => `  ${line}`)],
    [
      ...(stages.length === 0
        ? []
        : [`next    ${out === undefined ? 'her import … --out FILE' : `her plan ${out}`}`]),
      `${settings.carried} of ${many(settings.all, 'setting')} of the script${scripts > 1 ? 's' : ''} are in the study.`,
    ],
  ];
}

type Group = { file: string; lines: number[]; options: string[]; code: string; text: string };

/** Rows that say the same, or lack the same variable, are one. */
function grouped(rows: readonly ImportRow[]): Group[] {
  const groups = new Map<string, Group & { first: ImportRow; all: ImportRow[] }>();
  const sorted = [...rows].sort((a, b) => a.file.localeCompare(b.file) || a.line - b.line);
  for (const row of sorted) {
    const { file, code, message, hint = '' } = row;
    // Of what only running tells, the variable matters and not each text that holds it.
    const same = code === 'unknown-value' && hint !== '' ? message.replaceAll(/`[^`]*`/g, '`') : message;
    const key = JSON.stringify([file, code, same, hint]);
    const group = groups.get(key);
    if (group === undefined) {
      const text = hint === '' ? message : `${message} ${hint}`;
      groups.set(key, { file, lines: [row.line], options: [row.option], code, text, first: row, all: [row] });
      continue;
    }
    group.all.push(row);
    if (!group.lines.includes(row.line)) group.lines.push(row.line);
    if (!group.options.includes(row.option)) group.options.push(row.option);
  }
  return [...groups.values()].map(({ all, first, ...group }) =>
    all.length > 1 && new Set(all.map(({ message }) => message)).size > 1
      ? { ...group, text: `${all.length} values, for one ${[first.message, first.hint].join(' ')}` }
      : group,
  );
}

const shown = 6;

function cellsOf({ file, lines, options, code, text }: Group): string[] {
  const some = (all: readonly (string | number)[]): string =>
    all.length > shown ? `${all.slice(0, shown).join(', ')}, …` : all.join(', ');
  const placed = lines.filter((line) => line > 0);
  const named = options.filter((option) => option !== '');
  return [placed.length === 0 ? file : `${file}:${some(placed)}`, code, some(named), text];
}
