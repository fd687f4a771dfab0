import { join } from 'node:path';

export type WrittenKit = {
  study: string;
  /** As the person wrote it. */
  out: string;
  jobs: readonly { folder: string; nodes: number }[];
  files: number;
  replaced: boolean;
  questions: readonly string[];
  unpinned: readonly string[];
  /** Jobs, as folders of the kit, of which it still has what another version of them wrote. */
  former: readonly string[];
};

/** What `her render` wrote and what to do next, as lines. */
export function renderLines(kit: WrittenKit): string[] {
  const { study, out, jobs, files, replaced, questions, unpinned, former } = kit;
  const [first] = jobs;
  const readme = `next    read ${join(out, 'README.md')}`;
  const count = jobs.length === 0 ? 'no jobs: the study has no stages' : `${jobs.length} jobs`;
  return [
    `${study}: ${count}, ${files} files ${replaced ? 'replaced' : 'written'} in ${out}`,
    ...(questions.length === 0
      ? []
      : [`open questions: ${questions.join(', ')} (README.md has their facts)`]),
    ...(unpinned.length === 0 ? [] : [`not pinned by a hash: ${unpinned.join(', ')}`]),
    ...former.map((inKit) => `${inKit}/out is of another version of that job: move it away before a run`),
    '',
    first === undefined
      ? readme
      : `${readme}; then ${join(out, 'jobs', first.folder, first.nodes === 1 ? 'run.sh' : 'node-0.sh')}`,
  ];
}
