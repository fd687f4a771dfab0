import { HerError } from '../errors.ts';
import { resolveHost, type SshConfig } from './resolve.ts';

const mostHops = 8;

/** The hosts on the way to a host, in the order in which they are passed, each with its own configuration. */
export async function hopsTo(config: SshConfig): Promise<SshConfig[]> {
  const hops: SshConfig[] = [];
  for (let at = config; ; ) {
    const last = at.jump?.at(-1);
    if (last === undefined) return hops;
    if (hops.length === mostHops)
      throw new HerError('SSH_SETUP', `${config.name}: its ProxyJump leads over more than ${mostHops} hosts`);
    // What stands before it in the same ProxyJump is its way, over what its own configuration says.
    at = await resolveHost(last.name, { ...last, jump: at.jump?.slice(0, -1) ?? [] });
    hops.unshift(at);
  }
}
