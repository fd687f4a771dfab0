import { expect, test } from 'vitest';
import { nodeSettings } from './node-settings.ts';

test('settings of uv for the nodes are those with our prefix, and no others', () => {
  const env = {
    HER_NODE_UV_DEFAULT_INDEX: 'https://mirror.example/simple',
    HER_NODE_UV_OFFLINE: '1',
    HER_NODE_https_proxy: 'http://proxy:3128',
    HER_NODE_LD_PRELOAD: '/evil.so',
    HER_NODE_UV_PROJECT_ENVIRONMENT: '/elsewhere',
    UV_CACHE_DIR: '/of/this/machine',
  };
  expect(nodeSettings(env)).toEqual({
    UV_DEFAULT_INDEX: 'https://mirror.example/simple',
    UV_OFFLINE: '1',
    https_proxy: 'http://proxy:3128',
  });
});
