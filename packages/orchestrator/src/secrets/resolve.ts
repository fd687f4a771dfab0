import { HerError } from '../errors.ts';
import { NoSecret, readSecret, type SecretSource, type Sources } from './read-secret.ts';

/** The agent masks no shorter ones: they would turn up everywhere. */
const shortest = 4;

/**
 * The values of a study's secrets, from where it says that they are.
 * @throws {HerError} `SECRET_MISSING` with all that cannot be had, and never a value
 */
export async function resolveSecrets(
  specs: Readonly<Record<string, SecretSource>>,
  sources: Sources,
): Promise<Record<string, string>> {
  const values: Record<string, string> = {};
  const problems: string[] = [];
  // One after another: two commands that ask a person at once would talk over each other.
  for (const [name, source] of Object.entries(specs)) {
    try {
      const value = await readSecret(name, source, sources);
      values[name] = value;
      if (value.length < shortest)
        sources.say(`secret ${name} has fewer than ${shortest} characters: it is not masked in logs`);
    } catch (error) {
      if (!(error instanceof NoSecret)) throw error;
      problems.push(`${name}: ${error.message}`);
    }
  }
  if (problems.length === 0) return values;
  const count = problems.length === 1 ? 'a secret' : `${problems.length} secrets`;
  throw new HerError('SECRET_MISSING', `${count} of the study cannot be had: ${problems.join('; ')}`);
}
