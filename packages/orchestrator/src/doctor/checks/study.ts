import { openQuestions } from '@her/configs';
import type { PlannedStudy } from '../../study-file.ts';
import { type Finding, type Found, fail, ok, warn } from '../finding.ts';

/** What the study itself leaves open, or does otherwise than the paper that it follows. */
export function studyFindings({ loaded }: Pick<PlannedStudy, 'loaded'>): Finding[] {
  return [
    ...placed('questions', questionsFound(loaded.questions)),
    ...placed('base model', modelsFound(loaded.source.provenance)),
  ];
}

function placed(check: string, found: readonly Found[]): Finding[] {
  return found.map((each) => ({ check, node: null, ...each }));
}

type Loaded = PlannedStudy['loaded'];

function questionsFound(questions: Loaded['questions']): Found[] {
  const open = openQuestions(questions);
  if (open.length === 0) {
    const count = Object.keys(questions).length;
    return count === 0 ? [] : [ok(`${count} answered`)];
  }
  return open.map(([name, { ask, facts }]) =>
    fail(`${name}: ${ask}`, `Write its \`answer\` into the study file.`, facts.join(' · ') || undefined),
  );
}

/** A start that is not the paper's is shown whenever the study is looked at, however it was answered. */
function modelsFound(provenance: Loaded['source']['provenance']): Found[] {
  return [...provenance].flatMap(([key, { deviatesFromPaper, evidence }]): Found[] =>
    deviatesFromPaper === true
      ? [
          warn(
            `${key} is not the paper's${evidence === undefined ? '' : `: ${evidence}`}`,
            'Nothing need be done; scores must not be called a reproduction.',
          ),
        ]
      : [],
  );
}
