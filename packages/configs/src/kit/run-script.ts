import type { Job } from '../plan/job.ts';
import { quote } from '../stages/launch-script.ts';
import type { JobDescription } from './description.ts';
import { uniqueName } from './inputs-script.ts';

/** `run.sh`: the environment, the inputs, a checkpoint to go on from, then `launch.sh`. */
export function runScript(job: Job, { trainer, environment }: JobDescription): string {
  const upper = environment.toUpperCase();
  const [distribution = '', version = ''] = trainer.split(' ');
  const resumable = job.resume !== null && job.checkpoints !== null;
  const usage = resumable ? 'run.sh [resume [CHECKPOINT]] [WORD…]' : 'run.sh [WORD…]';
  return `#!/usr/bin/env bash
# Runs ${job.name} with ${trainer}. Usage: ${usage}; other words go to the program.
set -euo pipefail
id=${job.id}
fail() {
  printf 'run.sh: %s\\n' "$*" >&2
  exit 1
}
node=${job.gang === null ? '0' : `"\${NODE_RANK:?run node-0.sh on the first node, node-1.sh on the next}"`}
job="$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)"
kit="$(CDPATH='' cd -- "$job/../.." && pwd)"
environment="\${HER_${upper}_ENV:-$kit/infra/envs/${environment}/.venv}"
if [ -n "\${HER_${upper}_ENV:-}" ] && [ ! -x "$environment/bin/python" ]; then
  fail "HER_${upper}_ENV names $environment, and there is no bin/python."
fi
if [ -d "$environment/bin" ]; then PATH="$(CDPATH='' cd -- "$environment" && pwd)/bin:$PATH"; fi
export PATH PYTHONPATH="$kit/workers/python/src\${PYTHONPATH:+:$PYTHONPATH}"
for program in python ${quote(job.argv[0] ?? 'python')}; do
  command -v "$program" > /dev/null || fail "there is no $program. README.md says how to set up ${trainer}."
done
${versionCheck(distribution, version)}
"$job/inputs.sh"
CDPATH='' cd -- "$job"
if [ -e out/.job ] && [ "$(cat out/.job)" != "$id" ]; then
  fail "out/ is of another version of this job ($(cat out/.job)). Move it away."
fi
words=()
${resumable ? resumePart(job) : cannotResume}
if [ "$node" = 0 ]; then
  if [ -e out/.job ] && [ "\${#words[@]}" = 0 ]; then
    fail "out/ is of a former run. ${resumable ? 'Go on: run.sh resume. ' : ''}Start over: move out/ away."
  fi
  mkdir -p out
  rm -f out/.done
  echo "$id" > out/.job
fi
./launch.sh "\${words[@]}" "$@"
if [ "$node" = 0 ]; then echo "$id" > out/.done; fi
`;
}

/** A script written for one version may mean something else to another. */
function versionCheck(distribution: string, version: string): string {
  if (version === '') return '';
  return `wanted=${quote(version)}
found="$(python -c 'import importlib.metadata as m; print(m.version("${distribution}"))' 2> /dev/null || true)"
if [ "$found" != "$wanted" ] && [ -z "\${HER_ANY_VERSION:-}" ]; then
  fail "${distribution} is \${found:-missing} here, the study is for $wanted. HER_ANY_VERSION=1 runs it all the same."
fi`;
}

function resumePart({ resume, checkpoints, metrics }: Job): string {
  const folder = checkpoints?.path ?? 'out';
  const prefix = checkpoints?.format === 'verl' ? 'global_step_' : 'checkpoint-';
  const words = (resume?.argv ?? []).map((word) =>
    word
      .split('{checkpoint}')
      .map((part) => (part === '' ? '' : quote(part)))
      .join('"$checkpoint"'),
  );
  const links = resume?.path ?? '';
  const up = links.replaceAll(/[^/]+/g, '..');
  return `if [ "\${1:-}" = resume ]; then
  shift
  checkpoint=''
  case "\${1:-}" in ${prefix}*) checkpoint=$1 && shift ;; esac
  if [ -z "$checkpoint" ]; then
    high=-1
    for found in ${quote(folder)}/${prefix}*; do
      number=\${found##*/${prefix}}
      [[ $number =~ ^[0-9]+$ ]] && ((10#$number > high)) && high=$((10#$number)) checkpoint=\${found##*/}
    done
  fi
  [ -n "$checkpoint" ] && [ -d ${quote(folder)}/"$checkpoint" ] || fail "there is no checkpoint \${checkpoint}under ${folder}/"
  mkdir -p ${links}
  mine=${uniqueName}
  ln -s ${up}/${quote(folder)}/"$checkpoint" "${links}/$checkpoint.$mine"
  mv -fT "${links}/$checkpoint.$mine" "${links}/$checkpoint"
  words=(${words.join(' ')})
${keptMetrics(metrics)}fi`;
}

/** verl begins its metrics file anew at each start. */
function keptMetrics(metrics: Job['metrics']): string {
  const begunAnew = metrics.filter(({ format }) => format === 'verl');
  return begunAnew
    .map(
      ({ path }) => `  if [ "$node" = 0 ] && [ -e ${quote(path)} ]; then
    former=1
    while [ -e ${quote(path)}."$former" ]; do former=$((former + 1)); done
    mv ${quote(path)} ${quote(path)}."$former"
  fi
`,
    )
    .join('');
}

const cannotResume = `if [ "\${1:-}" = resume ]; then fail 'this job starts over: move out/ away, then run it again.'; fi`;

/** `node-K.sh`, one a node, where a job has several. */
export function nodeScripts({ name, gang }: Job): Record<string, string> {
  if (gang === null) return {};
  return Object.fromEntries(
    Array.from({ length: gang.nodes }, (_, rank) => [
      `node-${rank}.sh`,
      `#!/usr/bin/env bash
# Node ${rank} of the ${gang.nodes} of ${name}; all of them run at the same time.
set -euo pipefail
: "\${MASTER_ADDR:?the address of node 0, as the other nodes reach it}"
export MASTER_ADDR NODE_RANK=${rank}
exec "$(dirname -- "$0")/run.sh" "$@"
`,
    ]),
  );
}
