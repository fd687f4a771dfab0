/** What the words of the "what" column of an import mean: those of a setting, then those of the script itself. */
export const importWords: Readonly<Record<string, string>> = {
  gone: 'the pinned version has no such option, or does not read it',
  renamed: "carried over under today's name",
  'her-sets': 'set by this program: folders, resuming, logging, seeds derived from the root seed',
  'unknown-value': 'known to the running script only; `--set NAME=VALUE` gives it',
  'wrong-value': 'the pinned version does not take the value',
  chosen: 'the script leaves open what a study must say; look at what was written',
  secret: 'left out: a study never holds one',
  'not-carried': 'nothing of a study can say it',
  decided: 'a condition that only running could decide; the branch that was read is named',
  'unknown-words': 'a word that may stand for none or many, options among them',
  'other-script': 'another script, which was not read',
  'other-file': 'a config file that is not beside the script, and was not read',
  'other-command': 'a command beside the launch',
  'not-training': 'a command of a trainer that trains nothing',
  loop: 'a loop of which one round was read',
  'set-unused': 'a `--set` that the script overwrites or never reads',
  scheduler: 'a line for the scheduler',
  'file-names': 'Bash would put the names of files in its place',
  'cut-by-comment': 'a comment ends the command before it; the trainer never sees it',
  repeated: 'given twice; the last one counts',
  'not-an-option': 'no option, or nothing that the trainer takes',
  'not-read': 'a construct of the shell that is not read',
};

/** The same for `--help`. */
export function importWordsHelp(): string {
  const width = Math.max(...Object.keys(importWords).map((word) => word.length));
  return Object.entries(importWords)
    .map(([word, meaning]) => `  ${word.padEnd(width)}  ${meaning}`)
    .join('\n');
}
