import type { Redirection } from 'unbash';
import { expandOne, expandValue } from './expand.ts';
import type { Run } from './run.ts';
import { known, text, type Value } from './value.ts';

/** Runs `inner` with its input and output redirected; what it writes to a file of a known name is kept. */
export function redirected<T>(run: Run, redirects: readonly Redirection[], inner: () => T): T {
  if (redirects.length === 0) return inner();
  const { output, input } = run;
  let path: string | undefined;
  let append = false;
  for (const redirect of redirects) {
    const line = run.lines.lineAt(redirect.pos);
    if (redirect.type === 'HereDoc') run.input = hereDocument(run, redirect, line);
    else if (redirect.type === 'HereString') {
      run.input = redirect.target && [...expandOne(run, redirect.target), ...text('\n', line)];
    } else if (redirect.operator === '<') run.input = redirect.target && fileText(run, redirect.target);
    else if (/^(>|>>|>\||&>|&>>|>&)$/.test(redirect.operator) && descriptor(redirect) === 1) {
      run.output = { value: [], unknown: false };
      path = redirect.target && known(expandOne(run, redirect.target));
      append = redirect.operator === '>>';
    }
  }
  try {
    return inner();
  } finally {
    const written = run.output;
    if (path !== undefined && written && written !== output && !written.unknown && written.value.length > 0) {
      run.files.set(path, append ? [...(run.files.get(path) ?? []), ...written.value] : written.value);
    }
    Object.assign(run, { output, input });
  }
}

const descriptor = (redirect: Extract<Redirection, { type: 'Redirect' }>): number =>
  redirect.descriptor?.type === 'FileDescriptor' ? redirect.descriptor.value : redirect.descriptor ? 9 : 1;

function hereDocument(run: Run, node: Extract<Redirection, { type: 'HereDoc' }>, line: number): Value {
  const at = node.body.pos > 0 ? run.lines.lineAt(node.body.pos) : line + 1;
  const parts = node.delimiter?.quoted ? undefined : node.body.parts;
  if (parts) return expandValue(run, parts, at);
  const written = node.operator === '<<-' ? node.body.text.replaceAll(/^\t+/gm, '') : node.body.text;
  return text(written, at);
}

function fileText(
  run: Run,
  target: NonNullable<Extract<Redirection, { type: 'HereString' }>['target']>,
): Value | undefined {
  const [only, ...others] = target.parts ?? [];
  if (only?.type === 'ProcessSubstitution' && others.length === 0) {
    const output = only.script && run.capture(only.script);
    return output && [...output, ...text('\n', run.lines.lineAt(only.pos))];
  }
  const path = known(expandOne(run, target));
  return path === undefined ? undefined : run.files.get(path);
}
