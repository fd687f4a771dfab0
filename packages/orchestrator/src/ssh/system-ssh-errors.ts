import { HerError } from '../errors.ts';
import { shownHost } from './host-key-errors.ts';
import type { SshConfig } from './resolve.ts';
import { notReached } from './unreachable.ts';

/** What the system's `ssh` meant by what it wrote before it ended with 255. */
export function systemSshError(config: SshConfig, log: string): HerError {
  const lines = log
    .split('\n')
    .map((line) => line.replace(/^debug\d: .*$/, '').trim())
    .filter((line) => line !== '' && !/^[@=\s]+$/.test(line));
  const host = shownHost(config);
  const last = lines.at(-1) ?? 'ssh said nothing';
  const shown = /SHA256:[A-Za-z0-9+/]+/.exec(log)?.[0];
  const key = shown === undefined ? 'a key' : `the key ${shown}`;
  if (/REVOKED HOST KEY|host key .* is revoked|Host key is revoked/i.test(log))
    return new HerError('HOST_KEY_REVOKED', `${host} shows ${key}, which is revoked`);
  if (/HOST IDENTIFICATION HAS CHANGED/.test(log))
    return new HerError('HOST_KEY_CHANGED', `${host} shows ${key}, which is not the one that is known`, {
      hint: `Nothing was sent. If it is right: \`her host add ${config.name} --replace --fingerprint ${shown ?? 'SHA256:…'}\`.`,
    });
  if (/Host key verification failed|host key is known for/.test(log)) {
    const which = lines.find((line) => /host key is known for/.test(line)) ?? last;
    return new HerError('HOST_KEY_UNKNOWN', `${host}: ${which}`, {
      hint: `See its key and accept it: \`her host add ${config.name}\`.`,
    });
  }
  if (/Permission denied \(|Too many authentication failures|No more authentication methods/i.test(log))
    return new HerError('SSH_AUTH_FAILED', `${config.user} at ${host} was not let in: ${last}`);
  if (
    /Bad configuration option|Bad owner or permissions|keyword .* extra arguments|terminating, \d+ bad/i.test(
      log,
    )
  )
    return new HerError('SSH_SETUP', `${host}: ${last}`);
  return notReached(host, lines.find((line) => network.test(line)) ?? last);
}

const network =
  /resolve hostname|refused|timed out|No route|unreachable|reset|closed by|Broken pipe|not responding|disconnect/i;
