export type TestbedCode =
  | 'BED_USAGE'
  | 'BED_NOT_ROOT'
  | 'BED_TOOL_MISSING'
  | 'BED_FOLDER'
  | 'BED_OTHER_OPTIONS'
  | 'BED_BUSY'
  | 'BED_NAME_TAKEN'
  | 'BED_DOWN'
  | 'BED_NO_HOST'
  | 'BED_COMMAND'
  | 'BED_NOT_READY'
  | 'BED_S3_UNCONDITIONAL';

/** What went wrong, and what to do about it. */
export class TestbedError extends Error {
  readonly code: TestbedCode;
  readonly hint: string;

  constructor(code: TestbedCode, message: string, hint: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'TestbedError';
    this.code = code;
    this.hint = hint;
  }
}
