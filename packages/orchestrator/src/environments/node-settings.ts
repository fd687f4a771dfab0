const prefix = 'HER_NODE_';

/** Settings of uv, and of the way to its index, which may differ between here and the nodes. */
const known = /^(UV_\w+|(https?|all|no)_proxy|(HTTPS?|ALL|NO)_PROXY|SSL_CERT_(FILE|DIR))$/;

/** uv is told these by ourselves. */
const ours: ReadonlySet<string> = new Set(['UV_PROJECT_ENVIRONMENT', 'UV_PROJECT', 'UV_WORKING_DIR']);

/**
 * Variables for uv on the nodes: `HER_NODE_UV_DEFAULT_INDEX=…` here is `UV_DEFAULT_INDEX` there. They may hold
 * passwords, so they stand in no file and no argument.
 */
export function nodeSettings(env: NodeJS.ProcessEnv = process.env): Record<string, string> {
  const settings = Object.entries(env).flatMap(([name, value]): [string, string][] => {
    const there = name.startsWith(prefix) ? name.slice(prefix.length) : '';
    return value !== undefined && known.test(there) && !ours.has(there) ? [[there, value]] : [];
  });
  return Object.fromEntries(settings);
}
