import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, it } from 'vitest';
import { everyTable } from '../../explain/every-table.ts';
import { optionProblems } from '../../rules/options.ts';
import { replacementFor } from '../../rules/verl-ignored.ts';
import { armOf, studyText } from '../../testing.ts';
import { studyJsonSchema } from '../json-schema.ts';
import type { OptionValue } from '../settings.ts';
import { readStudySource } from '../source.ts';
import { type Stage, stageSchema } from '../stage-schemas.ts';

const schema = studyJsonSchema();
const ajv = new Ajv2020({ allErrors: true, strictTypes: false, strictRequired: false });
const { study } = armOf(studyText);
const source = readStudySource(studyText, 'study.yaml');

/** A stage that runs on a command of a trainer, with options. */
function stageOn(command: string, options: Record<string, OptionValue>): Stage {
  const base = study.stages[['fsdp', 'megatron'].includes(command) ? 'rl' : 'sft'];
  const kind = command.endsWith('rlhf') ? { kind: 'rlhf', method: 'grpo' } : {};
  const trainer = command.startsWith('megatron-') ? { trainer: 'megatron-swift' } : {};
  const engine = command === 'megatron' ? { engine: 'megatron' } : {};
  return stageSchema.parse({ ...base, ...kind, ...trainer, ...engine, options });
}

/** Options that this program finds wrong by themselves: name, type, choice. */
function refusedByHer(command: string, options: Record<string, OptionValue>): Set<string> {
  const found = optionProblems({ ...study, stages: { s: stageOn(command, options) } }, source);
  return new Set(found.map(({ place }) => place.key.replace('stages.s.options.', '')));
}

function refusedBySchema(command: string, options: Record<string, OptionValue>): Set<string> {
  const validate = ajv.getSchema(`options-${command}`) ?? ajv.compile(rooted(command));
  validate(options);
  return new Set(
    (validate.errors ?? []).map(({ instancePath, params }) =>
      'additionalProperty' in params && instancePath === ''
        ? String(params['additionalProperty'])
        : (instancePath.split('/')[1] ?? ''),
    ),
  );
}

function rooted(command: string): object {
  return { $id: `options-${command}`, $ref: `#/$defs/options-${command}`, $defs: schema['$defs'] };
}

const values: OptionValue[] = [
  true,
  1,
  1.5,
  -1,
  'x',
  '',
  '1',
  'true',
  [1],
  ['x', 'y'],
  [true],
  [1.5],
  [],
  { a: 1 },
];
const commands = everyTable().map(({ command }) => command);

describe.each(commands)('options of %s', (command) => {
  const table = everyTable().find((one) => one.command === command);
  // What verl ignores is refused by a rule, not for its name.
  const names = Object.keys(table?.options ?? {}).filter((name) => replacementFor(name) === undefined);

  it.each(values.map((value) => [value]))('with %j: this program and the schema refuse the same', (value) => {
    const options = Object.fromEntries(names.map((name) => [name, value]));
    const her = refusedByHer(command, options);
    const editor = refusedBySchema(command, options);
    expect([...editor].filter((name) => !her.has(name))).toEqual([]);
    // More choices may come from a plugin, which the schema of one option cannot know.
    const open = (name: string) => table?.options[name]?.extendedBy !== undefined;
    expect([...her].filter((name) => !editor.has(name) && !open(name))).toEqual([]);
  });

  it('with their defaults: the schema refuses none that this program takes', () => {
    const options = Object.fromEntries(
      names.map((name) => [name, (table?.options[name]?.default ?? null) as OptionValue]),
    );
    const her = refusedByHer(command, options);
    expect([...refusedBySchema(command, options)].filter((name) => !her.has(name))).toEqual([]);
  });
});
