import { defineConfig } from 'vitest/config';

/** These tests start trainers: one file at a time. A first test bed may have to be installed, which takes minutes. */
export default defineConfig({
  test: { include: ['*.e2e.test.ts'], fileParallelism: false, testTimeout: 60_000, hookTimeout: 900_000 },
});
