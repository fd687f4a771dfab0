const under = new Map<string, Promise<unknown>>();

/** Does what has this name after all that had it before: of two jobs that need the same, the second finds it there. */
export async function alone<T>(name: string, act: () => Promise<T>): Promise<T> {
  const before = under.get(name) ?? Promise.resolve();
  const mine = before.then(act, act);
  under.set(name, mine);
  try {
    return await mine;
  } finally {
    if (under.get(name) === mine) under.delete(name);
  }
}
