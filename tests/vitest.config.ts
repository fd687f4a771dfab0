import { defineConfig } from 'vitest/config';

/** These tests start trainers: one file at a time, in the order of their names. */
export default defineConfig({
  test: { include: ['*.e2e.test.ts'], fileParallelism: false, testTimeout: 60_000 },
});
