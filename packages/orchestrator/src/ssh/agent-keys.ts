import { execa } from 'execa';
import ssh2, {
  type IdentityCallback,
  type OpenSSHAgent,
  type ParsedKey,
  type SignCallback,
  type SigningRequestOptions,
} from 'ssh2';
import { type KeyBlob, parsePublicKey } from './key-blob.ts';

/** A running ssh-agent, with those of its keys that are to be tried, in this order. */
export class ChosenKeys extends ssh2.BaseAgent<ParsedKey> {
  readonly #agent: OpenSSHAgent;
  readonly keys: readonly ParsedKey[];

  constructor(agent: OpenSSHAgent, keys: readonly ParsedKey[]) {
    super();
    this.#agent = agent;
    this.keys = keys;
  }

  override getIdentities(callback: IdentityCallback<ParsedKey>): void {
    callback(null, [...this.keys]);
  }

  override sign(
    key: ParsedKey,
    data: Buffer,
    options?: SigningRequestOptions | SignCallback,
    callback?: SignCallback,
  ): void {
    if (typeof options === 'function') this.#agent.sign(key, data, options);
    else this.#agent.sign(key, data, options ?? {}, callback ?? (() => undefined));
  }
}

/** The agent's keys: first those that an IdentityFile names, then, unless those alone are wanted, the others. */
export async function chooseAgentKeys(
  socket: string,
  named: readonly KeyBlob[],
  namedOnly: boolean,
): Promise<ChosenKeys | undefined> {
  const agent = new ssh2.OpenSSHAgent(socket);
  const held = await new Promise<ParsedKey[]>((resolve) => {
    agent.getIdentities((error, keys) => {
      resolve((error ? [] : (keys ?? [])).filter((key): key is ParsedKey => 'getPublicSSH' in key));
    });
  });
  const place = (key: ParsedKey): number => named.findIndex((blob) => blob.equals(key.getPublicSSH()));
  const first = held.filter((key) => place(key) >= 0).sort((a, b) => place(a) - place(b));
  const keys = namedOnly ? first : [...first, ...held.filter((key) => place(key) < 0)];
  return keys.length === 0 ? undefined : new ChosenKeys(agent, keys);
}

/** What the agent holds that OpenSSH alone can use: certificates and keys on devices. */
export async function holdsMore(socket: string): Promise<boolean> {
  const listed = await execa('ssh-add', ['-L'], {
    reject: false,
    stdin: 'ignore',
    timeout: 5000,
    env: { SSH_AUTH_SOCK: socket },
  });
  return listed.stdout.split('\n').some((line) => {
    const type = parsePublicKey(line)?.type ?? '';
    return type.startsWith('sk-') || type.includes('-cert-');
  });
}
