import { studyJsonSchemaText } from '@her/configs';

/** `her schema`: the study file as JSON Schema, on standard output. */
export async function schema(): Promise<number> {
  process.stdout.write(studyJsonSchemaText());
  return 0;
}
