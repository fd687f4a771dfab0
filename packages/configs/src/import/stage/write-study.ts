import { stringify } from 'yaml';
import type { ImportedStudy } from './import-study.ts';

/** The text of an imported study file. */
export function importedText({ study }: ImportedStudy, from: readonly string[]): string {
  const body = stringify(study, { lineWidth: 118, flowCollectionPadding: true, defaultStringType: 'PLAIN' });
  return `# Imported from ${from.join(', ').replaceAll(/[\r\n]/g, ' ')}; see \`her import --help\` for what that means.\n${body}`;
}
