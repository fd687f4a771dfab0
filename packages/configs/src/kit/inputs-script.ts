import { quote } from '../stages/launch-script.ts';
import type { DescribedInput, JobDescription } from './description.ts';
import type { Variables } from './variables.ts';

export type InputsContext = {
  job: JobDescription;
  jobs: readonly JobDescription[];
  variables: Variables;
  /** Paths of the study whose files are in the job's own folder, with where. */
  carried: ReadonlyMap<string, string>;
};

/** `inputs.sh`: makes the links that the trainer's files speak of, or says what is missing. */
export function inputsScript(context: InputsContext): string {
  const { job } = context;
  const links = job.inputs.flatMap((input) => linkLine(input, context));
  const head = [
    '#!/usr/bin/env bash',
    `# Makes the links under inputs/ that the files of ${job.name} speak of; safe to repeat.`,
  ];
  if (links.length === 0)
    return [...head, '# This job needs none: it reads nothing, or its trainer fetches by id.', ''].join('\n');
  const parts = [
    functions,
    ...(links.some((line) => line.includes('"$study"'))
      ? ['# Relative paths of the study start here.\nstudy=$(chosen HER_STUDY_DIR ../..)\n']
      : []),
    ...(job.inputs.some(({ from }) => from.kind === 'output') ? [outputFunctions] : []),
  ];
  return [...head, ...parts, ...links, '', 'exit "$missing"', ''].join('\n');
}

function linkLine(input: DescribedInput, { job, jobs, variables, carried }: InputsContext): string[] {
  const { name, from } = input;
  const variable = variables(input) ?? '';
  if (from.kind === 'hub') return [];
  if (from.kind === 'output') {
    const maker = jobs.find((candidate) => candidate.name === from.job);
    const path = maker?.outputs.find((output) => output.name === from.output)?.path;
    if (maker === undefined || path === undefined)
      throw new TypeError(`${job.name}: nothing makes ${from.job}.${from.output}`);
    return [['from_job', variable, quote(name), quote(maker.folder), maker.id, quote(path)].join(' ')];
  }
  const here = carried.get(from.path);
  const place = here === undefined ? placeOf(from.path) : quote(here);
  const digest = from.digest === null ? [] : [from.digest];
  return [['from_path', variable, quote(name), place, ...digest].join(' ')];
}

/** A path of the study as bash has it. Relative ones start at the study's folder. */
function placeOf(path: string): string {
  if (path === '~') return '"$HOME"';
  if (path.startsWith('~/')) return `"$HOME"/${quote(path.slice(2))}`;
  return path.startsWith('/') ? quote(path) : `"$study"/${quote(path.replace(/^\.\//, ''))}`;
}

/** A name that no other node has, in bash: a host's name, of which only what a file name may hold, and the process. */
export const uniqueName = `"\${HOSTNAME//[^A-Za-z0-9.-]/_}.$$"`;

/** Links are put in place by a rename, because all nodes of a job make them in one shared folder. */
const functions = `set -euo pipefail
caller=$PWD
CDPATH='' cd -- "$(dirname -- "$0")"
missing=0

refuse() {
  printf 'inputs.sh: %s\\n' "$*" >&2
  missing=1
}

# What the variable $1 says, else $2.
chosen() {
  local said=\${!1:-}
  case $said in
    '') printf '%s' "$2" ;;
    /*) printf '%s' "$said" ;;
    *) printf '%s/%s' "$caller" "$said" ;;
  esac
}

# inputs/$1 leads to $2. What a person put there as a file or folder stays.
link() {
  local name=$1 path=$2 up=../ step
  mkdir -p "inputs/$(dirname -- "$name")"
  [ -e "inputs/$name" ] && [ ! -L "inputs/$name" ] && return
  if [ "\${path#/}" = "$path" ]; then
    step=$name
    while [ "$step" != "\${step#*/}" ]; do up=../$up step=\${step#*/}; done
    path=$up$path
  fi
  local mine=${uniqueName}
  ln -s "$path" "inputs/$name.$mine"
  mv -fT "inputs/$name.$mine" "inputs/$name"
}

# from_path VARIABLE NAME PATH [HASH]
from_path() {
  local variable=$1 name=$2 path digest=\${4:-}
  path=$(chosen "$variable" "$3")
  if [ ! -e "$path" ] && { [ ! -e "inputs/$name" ] || [ -L "inputs/$name" ]; }; then
    refuse "$name is missing: there is no $path. Put it there, or say where it is: $variable=/path"
    return
  fi
  link "$name" "$path"
  [ -z "$digest" ] || [ -n "\${HER_SKIP_HASH:-}" ] && return
  python3 ../../check-input.py "inputs/$name" "$digest" || refuse "$name is not the one that the study pins"
}
`;

const outputFunctions = `# The path $1 with the highest number for its *.
newest() {
  local before=\${1%%\\**} after=\${1#*\\*} best=$1 high=-1 found number
  if [ "$before" = "$1" ]; then after=''; fi
  for found in "$before"*"$after"; do
    number=\${found#"$before"} number=\${number%"$after"}
    [[ $number =~ ^[0-9]+$ ]] && ((10#$number > high)) && high=$((10#$number)) best=$found
  done
  printf '%s' "$best"
}

# from_job VARIABLE NAME FOLDER ID PATH: what another job of this kit has made.
from_job() {
  local variable=$1 name=$2 folder=../$3 id=$4 path
  if [ -n "\${!variable:-}" ]; then
    from_path "$variable" "$name" ''
    return
  fi
  path=$(newest "$folder/$5")
  if [ "$(cat "$folder/out/.done" 2> /dev/null)" != "$id" ] || [ ! -e "$path" ]; then
    refuse "$name is missing: jobs/$3 has not been run to its end. Run it, or say what to take: $variable=/path"
    return
  fi
  link "$name" "$path"
}
`;
