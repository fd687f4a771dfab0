/** What an attempt is called on its node k: a gang's members have folders of their own beside node 0's. */
export function memberId(attempt: string, index: number): string {
  return index === 0 ? attempt : `${attempt}-n${index}`;
}
