/** What the reader of an import should know about a line: something assumed, left out or lost. */
export type ImportNoteCode =
  /** A condition that only running could decide; the message says which branch was taken. */
  | 'decided'
  /** Words that the script does not fix: a variable of the environment, a command's output. */
  | 'unknown-value'
  /** Unquoted and unknown: it may stand for no word or for many, options among them. */
  | 'unknown-words'
  /** `source x`, `bash x.sh`: another file, which was not read. */
  | 'other-script'
  /** A command that runs beside the launch and is not carried over. */
  | 'other-command'
  /** A command of a trainer that trains nothing: `swift rollout`, `swift export`. */
  | 'not-training'
  /** A loop of which one round was read. */
  | 'loop'
  /** `--set NAME=VALUE` that the script overwrites or never reads. */
  | 'set-unused'
  /** `#SBATCH …` */
  | 'scheduler'
  /** Bash would replace the word by the names of files. */
  | 'file-names'
  /** A comment within a continued command ends it; the words after it never reach the trainer. */
  | 'cut-by-comment'
  /** An option given twice, of which the last one counts. */
  | 'repeated'
  /** A word that is no option, or that the trainer's grammar does not take. */
  | 'not-an-option'
  /** A construct of the shell that is not read. */
  | 'not-read';

/** `file`: where it stands, when that is another file than the one that is imported. */
export type ImportNote = {
  line: number;
  code: ImportNoteCode;
  message: string;
  hint?: string;
  file?: string;
};

/** Notes in the order they were made, each once. */
export class Notes {
  readonly #notes = new Map<string, ImportNote>();

  add(note: ImportNote): void {
    const key = `${note.line}\0${note.code}\0${note.message}`;
    if (!this.#notes.has(key)) this.#notes.set(key, note);
  }

  all(): ImportNote[] {
    return [...this.#notes.values()];
  }
}
