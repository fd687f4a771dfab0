import { Document, Scalar, visit } from 'yaml';
import type { ImportedStudy } from './import-study.ts';

/** Characters that would steer the terminal to which the study is printed, or turn its reading order. */
const unprintable = /[^\P{Cc}\n]|\p{Cf}/gu;

/** The text of an imported study file. */
export function importedText({ study }: Pick<ImportedStudy, 'study'>, from: readonly string[]): string {
  const document = new Document(study);
  // Only in double quotes can YAML write them by their number.
  visit(document, {
    Scalar(_, scalar) {
      if (typeof scalar.value === 'string' && scalar.value.search(unprintable) >= 0)
        scalar.type = Scalar.QUOTE_DOUBLE;
    },
  });
  const body = document
    .toString({ lineWidth: 118, flowCollectionPadding: true, defaultStringType: 'PLAIN' })
    .replaceAll(unprintable, (character) => {
      const number = character.codePointAt(0) ?? 0;
      return number > 0xffff
        ? `\\U${number.toString(16).padStart(8, '0')}`
        : `\\u${number.toString(16).padStart(4, '0')}`;
    });
  const names = from.join(', ').replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
  return `# Imported from ${names}; see \`her import --help\` for what that means.\n${body}`;
}
