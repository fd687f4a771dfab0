import { describe, expect, it } from 'vitest';
import { edited, problemsOf, studyText } from '../testing.ts';

const yaml = 'The file must be YAML 1.2. [STUDY_YAML]';

describe('a file that is not YAML', () => {
  it.each([
    [
      'an open bracket',
      edited(['epochs: 3', 'epochs: [3']),
      `27:5  Flow sequence in block collection must be sufficiently indented and end with a ]. ${yaml}`,
    ],
    ['a tab', edited(['    epochs: 3', '\tepochs: 3']), `26:1  Tabs are not allowed as indentation. ${yaml}`],
    [
      'a key twice',
      edited(['epochs: 3', 'epochs: 3\n    epochs: 4']),
      `27:5  Map keys must be unique. ${yaml}`,
    ],
    ['a tag', edited(['epochs: 3', 'epochs: !days 3']), `26:13  Unresolved tag: !days. ${yaml}`],
    ['an alias of nothing', edited(['epochs: 3', 'epochs: *x']), `26:13  nothing is marked \`&x\`. ${yaml}`],
    [
      'an alias inside what it means',
      edited(['lr_scheduler_type: cosine', 'lr_scheduler_kwargs: &x { a: *x }']),
      `32:36  \`*x\` stands inside itself. ${yaml}`,
    ],
    [
      'two documents',
      `${studyText}---\nher: 1\n`,
      `60:1  a second document begins here; a study is one. ${yaml}`,
    ],
  ])('%s is shown where it stands, without what it leads the parser to', (_, text, problem) => {
    expect(problemsOf(text)).toEqual([problem]);
  });

  it('shows each key that is there twice', () => {
    const text = edited(['epochs: 3', 'epochs: 3\n    epochs: 4'], ['steps: 20', 'steps: 20\n    steps: 30']);
    expect(problemsOf(text).map((line) => line.split(' ')[0])).toEqual(['27:5', '45:5']);
  });

  it('stops aliases that multiply without end', () => {
    const lists = Array.from({ length: 9 }, (_, i) => `  a${i + 1}: &a${i + 1} [${`*a${i}, `.repeat(9)}]`);
    expect(problemsOf(`x:\n  a0: &a0 [x]\n${lists.join('\n')}\n`).join()).toContain('Excessive alias count');
  });
});

describe('a file that is no study', () => {
  it.each([
    ['a list', '- a\n', 'a list'],
    ['a text', 'hello\n', 'the text "hello"'],
    ['empty', '', 'nothing (null)'],
    ['a comment', '# nothing\n', 'nothing (null)'],
  ])('%s', (_, text, what) => {
    const [problem, ...others] = problemsOf(text);
    expect(problem).toMatch(/^1:1 /);
    expect(problem).toContain(`${what} where a mapping is expected. [STUDY_WRONG_TYPE]`);
    expect(others).toEqual([]);
  });

  it('is told every key that it lacks', () => {
    expect(problemsOf('her: 1\n').map((line) => /`(\w+)` is required/.exec(line)?.[1])).toEqual([
      'name',
      'seeds',
      'trainers',
      'target',
      'stages',
    ]);
  });
});

describe('places', () => {
  it('count lines the same with the line ends of Windows', () => {
    const text = edited(['epochs: 3', 'epochs: x']).replaceAll('\n', '\r\n');
    expect(problemsOf(text)[0]).toMatch(/^26:13 /);
  });
});
