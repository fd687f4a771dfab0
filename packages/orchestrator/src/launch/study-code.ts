import type { Ledger } from '@her/ledger';
import { type Code, collectCode } from '../bundle/code.ts';
import type { PlannedStudy } from '../study-file.ts';

/** The study's own code, collected once; how it differs from its commit is recorded, where that was allowed. */
export function studyCode(
  { plan, locate }: PlannedStudy,
  ledger: Ledger,
  { allowDirty }: { allowDirty: boolean },
): () => Promise<Code | null> {
  const { code: spec } = plan;
  if (spec === null) return async () => null;
  return async () => {
    const code = await collectCode(locate(spec.path), { allowDirty });
    const { commit, digest, dirty, submodules } = code;
    const data = {
      commit,
      digest,
      submodules,
      ...(dirty === null
        ? {}
        : { changed: dirty.files, diffBlob: await ledger.putBlob(Buffer.from(dirty.diff).toString('utf8')) }),
    };
    const text = `code of the study: commit ${commit}${dirty === null ? '' : `, with ${dirty.files.length} files changed`}`;
    await ledger.append([{ kind: 'note', study: plan.study, text, data }]);
    return code;
  };
}
