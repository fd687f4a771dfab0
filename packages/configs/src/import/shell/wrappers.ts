import { known, spell, type Value, type Word } from './value.ts';

/** What a command like `nohup` or `bash -c` runs: other words, or a script of its own. */
export type Wrapped =
  | { kind: 'words'; name: string; words: readonly Word[]; env: readonly Setting[] }
  | { kind: 'script'; name: string; script: Value; line: number; args: readonly Word[] }
  | { kind: 'other-script'; name: string; path: string };

export type Setting = { name: string; value: Value; line: number };

/** Options of a wrapper that take the next word as their value, and how many words stand before the command. */
type Shape = { valued?: string; skip?: number };
const exact: Record<string, Shape> = {
  nohup: {},
  exec: { valued: '-a' },
  command: {},
  builtin: {},
  time: { valued: '-f -o' },
  nice: { valued: '-n --adjustment' },
  ionice: { valued: '-c -n -p' },
  setsid: {},
  stdbuf: { valued: '-i -o -e' },
  unbuffer: {},
  timeout: { valued: '-s -k --signal --kill-after', skip: 1 },
  env: { valued: '-u --unset -C --chdir' },
  numactl: { valued: '-N -m -C -p -i -l --cpunodebind --membind --physcpubind --interleave --preferred' },
  taskset: { skip: 1 },
};

/** Wrappers with options of their own in all shapes: the command is the first word that looks like one. */
const searching =
  /^(srun|mpirun|mpiexec|docker|podman|nerdctl|singularity|apptainer|conda|mamba|micromamba|uv|poetry|pdm|pixi|hatch|pipenv|ray|sudo|ssh|nsys|ncu|py-spy|tmux|screen|xargs|flock|chrt|su|sbatch|salloc|kubectl|modelscope|rlaunch|script)$/;
const commandLike =
  /^(swift|megatron|python[\d.]*|torchrun|accelerate|deepspeed|bash|sh|zsh|env|nohup|numactl|taskset|timeout|time|stdbuf|uv|conda|srun|mpirun|ray|docker|singularity|apptainer|nsys)$|\.(py|sh|slurm)$/;
/** What must stand after the wrapper's name for it to run anything. */
const verbs: Record<string, RegExp> = {
  docker: /^(run|exec|compose)$/,
  podman: /^(run|exec)$/,
  uv: /^run$/,
  conda: /^run$/,
  ray: /^job$/,
  singularity: /^(exec|run|shell)$/,
  apptainer: /^(exec|run|shell)$/,
};

const baseName = (word: Word | undefined): string | undefined =>
  word && known(word.value)?.replace(/^.*\//s, '');

/** The command that the words run through another one; undefined when they are a command themselves. */
export function unwrap(words: readonly Word[], input: Value | undefined): Wrapped | undefined {
  const name = baseName(words[0]);
  if (name === undefined) return undefined;
  if (/^(ba|z|da|k)?sh$/.test(name)) return shell(name, words.slice(1), input);
  const shape = exact[name];
  if (shape) return afterOptions(name, shape, words.slice(1));
  return searching.test(name) ? search(name, words.slice(1)) : undefined;
}

function afterOptions(
  name: string,
  { valued = '', skip = 0 }: Shape,
  rest: readonly Word[],
): Wrapped | undefined {
  const env: Setting[] = [];
  let left = skip;
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at];
    if (!word) break;
    const written = spell(word.value);
    const setting = name === 'env' || name === 'exec' ? settingOf(word) : undefined;
    if (written === '--') continue;
    if (setting) env.push(setting);
    else if (written.startsWith('-')) at += valued.split(' ').includes(written) ? 1 : 0;
    else if (left > 0) left -= 1;
    else return { kind: 'words', name, words: rest.slice(at), env };
  }
  return undefined;
}

/** `NAME=VALUE` as one word. */
export function settingOf(word: Word): Setting | undefined {
  const [first, ...others] = word.value;
  if (!first || 'unknown' in first) return undefined;
  const match = /^([A-Za-z_]\w*)=(.*)$/s.exec(first.text);
  if (!match?.[1]) return undefined;
  const value = match[2] === '' ? others : [{ text: match[2] ?? '', line: first.line }, ...others];
  return { name: match[1], value, line: word.line };
}

/** A trainer's name may be an option's value (`uv run --extra megatron python`); its command follows only it itself. */
function isCommand(word: Word, following: Word | undefined): boolean {
  const name = baseName(word) ?? '';
  if (!commandLike.test(name)) return false;
  const next = baseName(following) ?? '-';
  return !/^(swift|megatron)$/.test(name) || (/^[a-z]/.test(next) && !commandLike.test(next));
}

function search(name: string, rest: readonly Word[]): Wrapped | undefined {
  const verb = verbs[name];
  if (verb && !rest.slice(0, 3).some((word) => verb.test(known(word.value) ?? ''))) return undefined;
  const env: Setting[] = [];
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at];
    if (!word) break;
    const written = spell(word.value);
    if (/^(-e|--env|-x)$/.test(written) && rest[at + 1]) {
      const setting = settingOf(rest[++at] as Word);
      if (setting) env.push(setting);
    } else if (/^--env=/.test(written)) {
      const setting = settingOf({ ...word, value: dropText(word.value, '--env='.length) });
      if (setting) env.push(setting);
    } else if (/^--wrap=/.test(written)) {
      return {
        kind: 'script',
        name,
        script: dropText(word.value, '--wrap='.length),
        line: word.line,
        args: [],
      };
    } else if (written === '-c' && /^(su|script|tmux)$/.test(name) && rest[at + 1]) {
      const script = rest[at + 1] as Word;
      return { kind: 'script', name, script: script.value, line: script.line, args: [] };
    } else if (!written.startsWith('-') && settingOf(word)) {
      const setting = settingOf(word);
      if (setting && at > 0) env.push(setting);
    } else if (isCommand(word, rest[at + 1])) {
      return { kind: 'words', name, words: rest.slice(at), env };
    } else if (/\s/.test(written) && /\b(swift|megatron|python|torchrun|bash)\b/.test(written)) {
      // `ssh host "cd x && swift sft …"`, `tmux new -d "…"`
      return { kind: 'script', name, script: word.value, line: word.line, args: [] };
    }
  }
  return undefined;
}

export function dropText(value: Value, characters: number): Value {
  const [first, ...others] = value;
  return first && !('unknown' in first)
    ? [{ ...first, text: first.text.slice(characters) }, ...others]
    : value;
}

function shell(name: string, rest: readonly Word[], input: Value | undefined): Wrapped | undefined {
  for (let at = 0; at < rest.length; at++) {
    const word = rest[at];
    if (!word) break;
    const written = spell(word.value);
    if (/^-[a-z]*c$/.test(written)) {
      const script = rest[at + 1];
      return (
        script && { kind: 'script', name, script: script.value, line: script.line, args: rest.slice(at + 3) }
      );
    }
    if (written === '-o' || written === '+o' || written === '--rcfile') at += 1;
    else if (written === '-s' || written === '-') break;
    else if (!/^[-+]/.test(written)) return { kind: 'other-script', name, path: written };
  }
  return input && { kind: 'script', name, script: input, line: input[0]?.line ?? 1, args: [] };
}
