/** The array that a job is a task of: `7` of `7_2`. Undefined for a job by itself. */
export function arrayOf(job: string): string | undefined {
  return /^(\d+)_\d+$/.exec(job)?.[1];
}

/** Whether a row of Slurm's is named like a job, a task of an array, or tasks that have not begun: `7_[0,2-5%2]`. */
export function isRow(id: string): boolean {
  return /^\d+(_(\d+|\[[\d,%-]+\]))?$/.test(id);
}

/** What rows say of a job. Tasks that ended before they began share one row: `7_[0,2-5]`, or `7` where none began. */
export function rowOf<Row>(rows: ReadonlyMap<string, Row>, job: string): Row | undefined {
  const own = rows.get(job);
  const array = arrayOf(job);
  if (own !== undefined || array === undefined) return own;
  const task = Number(job.slice(array.length + 1));
  for (const [id, row] of rows) if (id.startsWith(`${array}_[`) && listed(id, task)) return row;
  return rows.get(array);
}

function listed(id: string, task: number): boolean {
  const list = /_\[([\d,-]+)/.exec(id)?.[1] ?? '';
  return list.split(',').some((part) => {
    const [from = '', to = from] = part.split('-');
    return from !== '' && Number(from) <= task && task <= Number(to);
  });
}
