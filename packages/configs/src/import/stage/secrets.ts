import type { ImportValue, TrainerOption } from '../trainer-command.ts';

const secret =
  /(^|_)(token|api_?key|access_?key|secret_?key|private_?key|secret|password|passwd|credentials?|webhook(_url)?)$/;
/** Tokens of a text, which open no door. */
const ofText = /(^|_)(pad|eos|bos|unk|mask|sep|cls|image|video|audio|special|start|end|stop)_token$/;
/** Where a variable of a launch's environment would be no option of a trainer. */
const secretVariable = /(KEY|TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL)S?$/i;

/** Whether a variable of the environment is called as secrets are. */
export function isSecretVariable(name: string): boolean {
  return secretVariable.test(name);
}

/** Whether an option holds a secret: by its own name, or by a key of its value. */
export function holdsSecret({ name, values }: TrainerOption): boolean {
  return isSecretKey(name) || values.some(valueHoldsSecret);
}

function isSecretKey(name: string): boolean {
  const last = (name.split('.').at(-1) ?? '').toLowerCase().replaceAll('-', '_');
  return secret.test(last) && !ofText.test(last);
}

function valueHoldsSecret(value: ImportValue): boolean {
  if (typeof value === 'string') {
    const keys = value.trimStart().startsWith('{') ? value.matchAll(/["']?([\w.-]+)["']?\s*:/g) : [];
    return [...keys].some(([, key = '']) => isSecretKey(key));
  }
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return value.some(valueHoldsSecret);
  return Object.entries(value).some(([key, inner]) => isSecretKey(key) || valueHoldsSecret(inner));
}
