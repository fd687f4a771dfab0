import type { Plan } from '@her/configs';

type Named = Pick<Plan, 'secrets' | 'notify'>;

/**
 * Takes the variables that hold secrets out of `env` and gives back what was there, with them. Programs that we start
 * inherit our variables; from here on none of them is handed a secret unless it is meant for it.
 */
export function withholdSecrets(
  { secrets, notify }: Named,
  env: Record<string, string | undefined>,
): Readonly<Record<string, string | undefined>> {
  const before = { ...env };
  for (const name of secretVariables({ secrets, notify })) delete env[name];
  return before;
}

/** Names of the caller's variables that a study takes secrets from. */
export function secretVariables({ secrets, notify }: Named): string[] {
  const webhooks = notify.flatMap((one) =>
    'webhook' in one && typeof one.webhook !== 'string' ? [one.webhook] : [],
  );
  const names = [...Object.values(secrets), ...webhooks].flatMap((source) =>
    'env' in source ? [source.env] : [],
  );
  return [...new Set(names)];
}
