import { HerError } from '../errors.ts';
import type { Account } from './auth.ts';
import { shownHost } from './host-key-errors.ts';
import type { SshConfig } from './resolve.ts';
import { networkWords, notReached } from './unreachable.ts';

/** OpenSSH may do what ssh2 cannot; `message` says what that is. */
export class NeedsSystemSsh extends Error {
  override readonly name = 'NeedsSystemSsh';
}

/** Nobody was let in. */
export class NotLetIn extends HerError {
  /** Ways in that the server named. */
  readonly serverTakes: readonly string[];

  constructor(message: string, hint: string, serverTakes: readonly string[]) {
    super('SSH_AUTH_FAILED', message, { hint });
    this.serverTakes = serverTakes;
  }
}

/**
 * What an error of ssh2 means before the connection stands.
 * @param account what was tried to be let in; undefined before that began
 * @param verified whether the host key had been accepted
 */
export function connectionError(
  config: SshConfig,
  error: Error & { level?: string },
  account: Account | undefined,
  verified: boolean,
): Error {
  if (/^Handshake failed: no matching/.test(error.message))
    return new NeedsSystemSsh(error.message.slice(18));
  const tooMany =
    verified && account !== undefined && /too many authentication failures/i.test(error.message);
  if (error.level === 'client-authentication' || tooMany) return authError(config, account, tooMany);
  if (!verified && error.level === 'handshake')
    return new HerError('SSH_SETUP', `${shownHost(config)}: SSH could not be begun: ${error.message}`, {
      cause: error,
    });
  return notReached(shownHost(config), networkWords(error), error);
}

function authError(config: SshConfig, account: Account | undefined, tooMany: boolean): HerError {
  const who = `${config.user} at ${shownHost(config)}`;
  const tried = account?.tried ?? [];
  const offered = tried.filter((shown) => shown !== 'no key');
  const why = [
    offered.length === 0 ? 'no key could be offered' : `offered: ${offered.join(', ')}`,
    ...(account?.passedOver ?? []),
    ...(account?.partial ? ['a key alone is not enough there'] : []),
    ...(account && account.serverTakes.length > 0 ? [`it takes ${account.serverTakes.join(', ')}`] : []),
  ];
  const locked = account?.passedOver.some((line) => line.endsWith('locked by a passphrase')) ?? false;
  const hint = locked
    ? 'Add the key to the agent (`ssh-add`), or name a file with its passphrase in HER_SSH_PASSPHRASE_FILE.'
    : tooMany
      ? `The agent holds more keys than the host hears: IdentitiesOnly yes and an IdentityFile for ${config.name} in ~/.ssh/config.`
      : `Check user and key with \`ssh ${config.name} true\`, then run the same command again.`;
  return new NotLetIn(`${who} was not let in; ${why.join('; ')}`, hint, account?.serverTakes ?? []);
}
