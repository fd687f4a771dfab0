/** What makes a launch script or a trainer's config file impossible to import. */
export type ImportProblemCode =
  | 'IMPORT_SYNTAX'
  | 'IMPORT_LIMIT'
  | 'IMPORT_NO_LAUNCH'
  | 'IMPORT_YAML'
  | 'IMPORT_JSON'
  | 'IMPORT_CONFIG';

/** Where it stands in the file that is imported. Lines and columns count from 1. */
export type ImportPlace = { file: string; line: number; column: number };

export type ImportProblem = { code: ImportProblemCode; message: string; hint: string; place: ImportPlace };

/** Thrown when nothing can be imported; what could not be carried over is an `ImportNote` instead. */
export class ImportError extends Error {
  readonly code: ImportProblemCode;
  readonly hint: string;
  readonly place: ImportPlace;

  constructor({ code, message, hint, place }: ImportProblem) {
    super(`${place.file}:${place.line}:${place.column}  ${message} ${hint} [${code}]`);
    this.name = 'ImportError';
    this.code = code;
    this.hint = hint;
    this.place = place;
  }
}
