import { defineConfig } from 'vitest/config';

export default defineConfig({
  cacheDir: '../../node_modules/.vite-testbed',
  test: { root: import.meta.dirname, include: ['*.test.ts'], fileParallelism: false, testTimeout: 60_000 },
});
