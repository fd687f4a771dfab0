import type { Explanation, JobValue, OptionFacts, OptionVariant, WordFacts } from '@her/configs';
import { table } from './table.ts';

/** What the jobs of a study have, beside each option and word of an explanation. */
export type InStudy = { study: string; options: JobValue[][]; words: JobValue[][] };

/** More than this, and each is one line. */
const inFull = 5;
const shownChoices = 12;

/** An explanation as lines: what was found, one block each. */
export function explanationLines(found: Explanation, inStudy: InStudy | null): string[] {
  const { options, words, alsoEnding } = found;
  const brief = options.length + words.length > inFull;
  const blocks = [
    ...words.map((facts, i) => wordBlock(facts, inStudy?.words[i])),
    ...(brief
      ? [[...options.map(briefLine), '', 'Any of them in full: her explain NAME']]
      : options.map((facts, i) => optionBlock(facts, inStudy?.options[i]))),
    ...(alsoEnding.length === 0 ? [] : [[`Also ending so: ${shortened(alsoEnding, 8)}`]]),
  ];
  return blocks.flatMap((block, i) => (i === 0 ? block : ['', ...block]));
}

function optionBlock(facts: OptionFacts, values: JobValue[] | undefined): string[] {
  const { name, trainer, version, variants, rules, replacedBy, known } = facts;
  const several = variants.length > 1;
  const commands = variants.flatMap((variant) => variant.commands).join(', ');
  return [
    `${name}  (${trainer} ${version}: ${commands})`,
    ...(replacedBy === null ? [] : [row('not read', `${trainer} ${version} takes it and does not read it`)]),
    ...(replacedBy === null ? [] : [row('instead', replacedBy)]),
    ...variants.flatMap((variant) => [
      ...(several ? [`  ${variant.commands.join(', ')}:`] : []),
      ...variantRows(variant),
    ]),
    ...(known === null ? [] : [row('names', `${known.names.join(', ')}; or ${known.also}`)]),
    ...rules.map((rule) =>
      row('rule', rule.says + (rule.with.length === 0 ? '' : ` (with ${rule.with.join(', ')})`)),
    ),
    ...valueRows(values),
  ];
}

function variantRows({ option, word, wordWith, setBy, chosen }: OptionVariant): string[] {
  const only = wordWith === null ? '' : `, with algorithm ${wordWith}`;
  const own = word !== null && wordWith === null ? [] : chosen;
  return [
    ...(option === null ? [row('type', 'not declared by the trainer; her adds it')] : declared(option)),
    ...(word === null ? [] : [row('study', inStudyWords(word) + only)]),
    ...(setBy === null ? [] : [row('study', `set by its word \`${setBy}\`; \`options\` can say otherwise`)]),
    ...own.map(({ value, why }) => row('her sets', `${shown(value)}: ${why}; \`options\` can say otherwise`)),
  ];
}

function declared(option: NonNullable<OptionVariant['option']>): string[] {
  const { type, list, nullable, choices, extendedBy, follows, required } = option;
  const what = [
    list ? `${typeWords[type]}, one or several` : typeWords[type],
    ...(nullable ? ['or null'] : []),
  ].join(' ');
  const more = extendedBy === undefined ? '' : `; \`${extendedBy}\` may bring more`;
  const absent = required ? 'none: it must be set' : 'none of its own';
  const otherwise = 'default' in option ? shown(option.default) : absent;
  return [
    row('type', what),
    row('default', follows === undefined ? otherwise : `what \`${follows}\` is`),
    ...(choices === undefined ? [] : [row('choices', shortened(choices, shownChoices) + more)]),
  ];
}

const typeWords: Record<NonNullable<OptionVariant['option']>['type'], string> = {
  bool: 'true or false',
  int: 'whole number',
  float: 'number',
  str: 'text',
  list: 'list',
  dict: 'mapping',
  any: 'anything',
};

function inStudyWords(word: string): string {
  const nobody = /^nothing: (.*)$/.exec(word);
  return nobody === null
    ? `said by its word \`${word}\`, so not under \`options\``
    : `set by her itself, so not under \`options\`: ${nobody[1]}`;
}

function wordBlock(facts: WordFacts, values: JobValue[] | undefined): string[] {
  const { word, stages, about, type, choices, required, sets } = facts;
  const where = stages.length === 0 ? 'of the study file' : `of stages: ${stages.join(', ')}`;
  const otherwise = facts.default === undefined ? 'may be left out' : shown(facts.default);
  return [
    `${word}  (word ${where})`,
    ...(about === '' ? [] : [row('what', about)]),
    row('type', type),
    row('default', required ? 'none: it must be there' : otherwise),
    ...(choices.length === 0 ? [] : [row('choices', shortened(choices, shownChoices))]),
    ...sets.map(({ trainer, commands, option }) =>
      row('sets', `${option}  (${trainer}: ${commands.join(', ')})`),
    ),
    ...valueRows(values),
  ];
}

function briefLine({ name, trainer, variants }: OptionFacts): string {
  const [first] = variants;
  const { option = null, word = null } = first ?? {};
  const said = word === null ? '' : `, study: ${word}`;
  const what =
    option === null ? 'added by her' : `${typeWords[option.type]}, default ${shown(option.default)}`;
  return `${name}  (${trainer}; ${what}${said})`;
}

function valueRows(values: JobValue[] | undefined): string[] {
  if (values === undefined) return [];
  if (values.length === 0) return [row('jobs', 'none of this study has it')];
  const cells = values.map(({ jobs, setting }) => {
    if (setting === null)
      return [shortened(bySeed(jobs), 6), 'the default', 'framework-default', 'nobody sets it'];
    const { value, origin, deviatesFromPaper, key, evidence } = setting;
    const why = [...(key === undefined ? [] : [key]), ...(evidence === undefined ? [] : [evidence])];
    const from = deviatesFromPaper ? `${origin}, deviates from the paper` : origin;
    return [shortened(bySeed(jobs), 6), shown(value), from, why.join(': ')];
  });
  const lines = table(['jobs', 'value', 'origin', 'evidence'], cells).split('\n');
  return ['', ...lines.map((line) => `  ${line}`)];
}

/** `sft/full/42,43,44` for three jobs that differ by their seed. */
function bySeed(jobs: readonly string[]): string[] {
  const seeds = new Map<string, string[]>();
  for (const job of jobs) {
    const at = job.lastIndexOf('/') + 1;
    seeds.set(job.slice(0, at), [...(seeds.get(job.slice(0, at)) ?? []), job.slice(at)]);
  }
  return [...seeds].map(([stem, ends]) => stem + ends.join(','));
}

function row(title: string, text: string): string {
  return `  ${title.padEnd(8)}  ${text}`;
}

function shown(value: unknown): string {
  if (value === undefined) return 'none';
  return typeof value === 'string' && value !== '' ? value : JSON.stringify(value);
}

function shortened(names: readonly string[], most: number): string {
  const rest = names.length - most;
  return rest <= 1 ? names.join(', ') : `${names.slice(0, most).join(', ')}, … ${rest} more (--json)`;
}
