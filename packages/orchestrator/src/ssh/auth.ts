import ssh2, {
  type AnyAuthMethod,
  type AuthenticationType,
  type NextAuthHandler,
  type ParsedKey,
} from 'ssh2';
import { chooseAgentKeys } from './agent-keys.ts';
import { type IdentityFile, readIdentity } from './identity-file.ts';
import type { Passphrases } from './passphrases.ts';
import type { SshConfig } from './resolve.ts';

/** How one connection proves who it is: by one key after the other, until the server takes one or none is left. */
export type Auth = {
  next(left: readonly AuthenticationType[] | null, partial: boolean | null, take: NextAuthHandler): void;
  /** What was tried and what was not, for the person who has to mend it. */
  readonly account: Account;
};
export type Account = {
  /** Keys that were offered. */
  tried: string[];
  /** Keys that were not, and why. */
  passedOver: string[];
  /** What the server would have taken, as it said last. */
  serverTakes: readonly string[];
  /** It took a key and wants more than that. */
  partial: boolean;
};

type Step = { shown: string; method: () => Promise<AnyAuthMethod | undefined> };

/**
 * Keys in the order of OpenSSH: the agent's that the configuration names, the agent's others, then files.
 * @param asking is told when a person is asked, which takes as long as it takes
 */
export async function openAuth(
  config: SshConfig,
  passphrases: Passphrases,
  asking: (now: boolean) => void = () => undefined,
): Promise<Auth> {
  const account: Account = { tried: [], passedOver: [], serverTakes: [], partial: false };
  const steps = config.publicKeys ? await stepsOf(config, passphrases, account, asking) : [];
  // A server that takes nobody's key, or anybody, says so only when it is asked.
  if (steps.length === 0)
    steps.push({ shown: 'no key', method: async () => ({ type: 'none', username: config.user }) });
  let at = 0;
  const advance = async (): Promise<AnyAuthMethod | false> => {
    for (;;) {
      const step = steps[at];
      at += 1;
      if (step === undefined) return false;
      const method = await step.method();
      if (method === undefined) continue;
      account.tried.push(step.shown);
      return method;
    }
  };
  return {
    account,
    next: (left, partial, take) => {
      if (left !== null) account.serverTakes = left;
      account.partial ||= partial === true;
      const wantsKeys = left === null || left.includes('publickey');
      void (wantsKeys ? advance() : Promise.resolve(false as const)).then(
        (method) => take(method as AnyAuthMethod),
        (cause: unknown) => {
          account.passedOver.push(cause instanceof Error ? cause.message : String(cause));
          take(false as unknown as AnyAuthMethod);
        },
      );
    },
  };
}

async function stepsOf(
  config: SshConfig,
  passphrases: Passphrases,
  account: Account,
  asking: (now: boolean) => void,
): Promise<Step[]> {
  const read = await Promise.all(config.identityFiles.map(readIdentity));
  const identities = read.filter((identity): identity is IdentityFile => identity !== undefined);
  const steps: Step[] = [];
  const held: ParsedKey[] = [];
  if (config.identityAgent !== null) {
    const named = identities.flatMap(({ publicKey }) => (publicKey === null ? [] : [publicKey]));
    const agent = await chooseAgentKeys(config.identityAgent, named, config.identitiesOnly);
    if (agent !== undefined) {
      held.push(...agent.keys);
      const shown = `${agent.keys.length} ${agent.keys.length === 1 ? 'key' : 'keys'} of the agent`;
      steps.push({ shown, method: async () => ({ type: 'agent', username: config.user, agent }) });
    }
  }
  for (const identity of identities) {
    const { path, publicKey, privateKey } = identity;
    if (publicKey !== null && held.some((key) => key.getPublicSSH().equals(publicKey))) continue;
    if (identity.refused !== null) account.passedOver.push(identity.refused);
    else if (privateKey !== null)
      steps.push({
        shown: path,
        method: async () => {
          const key = await unlock(identity, privateKey, config, passphrases, account, asking);
          return key === undefined ? undefined : { type: 'publickey', username: config.user, key };
        },
      });
    else
      account.passedOver.push(
        `${path}: ${identity.onDevice ? 'on a device' : 'only its public part is there'}`,
      );
  }
  return steps;
}

async function unlock(
  { path, locked }: IdentityFile,
  bytes: Buffer,
  config: SshConfig,
  passphrases: Passphrases,
  account: Account,
  asking: (now: boolean) => void,
): Promise<ParsedKey | undefined> {
  let key: ParsedKey | undefined;
  const opens = (passphrase?: string): boolean => {
    const parsed = ssh2.utils.parseKey(bytes, passphrase);
    const [first] = [parsed].flat();
    if (first === undefined || first instanceof Error || !first.isPrivateKey()) return false;
    key = first;
    return true;
  };
  if (!locked) {
    if (!opens()) account.passedOver.push(`${path}: no key that can be used`);
    return key;
  }
  asking(true);
  const passphrase = await passphrases.get(path, config.batch, opens).finally(() => asking(false));
  if (passphrase === undefined || !opens(passphrase))
    account.passedOver.push(`${path}: locked by a passphrase`);
  return key;
}
