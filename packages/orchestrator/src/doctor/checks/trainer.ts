import { type Found, fail, ok, warn } from '../finding.ts';
import type { EnvironmentNeed } from '../needs.ts';
import { given, type NodeCheck, whereJobsRun } from './check.ts';

/** Whether the trainers of a node are those that the study is written for. */
export const trainerCheck: NodeCheck = {
  name: 'trainer',
  quick: true,
  needed: ({ environments }) => environments.length > 0,
  of: ({ facts }, needs) =>
    needs.environments.flatMap((need) =>
      given(facts.environments[need.name], need.trainer.package, (found) => judge(need, found)),
    ),
};

type There = { path: string; exists: boolean; python: boolean; versions: Record<string, string> };

function judge(need: EnvironmentNeed, there: There): Found[] {
  return [...judgeTrainer(need, there), ...judgeFlash(need, there)];
}

/** The locks hold none: it is built on the machine that it is for. */
function judgeFlash({ locked, flash, trainer }: EnvironmentNeed, { path, versions }: There): Found[] {
  if (flash.length === 0 || versions['flash-attn'] !== undefined) return [];
  if (!locked && versions[trainer.package] === undefined) return [];
  const where = locked ? 'the locked environment' : path;
  return [
    fail(
      `no flash-attn in ${where}: ${flash.join(', ')} cannot load a model`,
      'Name `environments` that have it (a folder, an image), or have the stage use `sdpa`; docs/environments.md tells how.',
    ),
  ];
}

function judgeTrainer(
  { trainer, locked, pinned }: EnvironmentNeed,
  { path, python, versions }: There,
): Found[] {
  const { package: name, version } = trainer;
  const installed = versions[name];
  if (installed === undefined) {
    if (locked) return [ok(`${name} ${version} is not set up yet: \`her run\` does it`)];
    return [fail(`no ${name} in ${path}`, `Install ${name} ${version} there, or name another folder.`)];
  }
  if (installed !== version)
    return [
      fail(
        `${name} ${installed} in ${path}; the study is written for ${version}`,
        locked
          ? `Remove the folder: \`her run\` sets it up again.`
          : `Install ${name} ${version} there, name another folder, or leave \`environments\` out.`,
        'options and their defaults change between versions',
      ),
    ];
  if (!python) return [fail(`${path} has no bin/python that can be run`, 'Set the environment up again.')];
  const others = Object.entries(pinned).filter(([other, pin]) => !same(versions[other], pin));
  if (others.length === 0) return [ok(`${name} ${version}`)];
  const words = others.map(([other, pin]) => `${other} ${versions[other] ?? 'is missing'} (lock: ${pin})`);
  return [
    warn(
      `${name} ${version}, with ${words.join(', ')}`,
      'Nothing need be done; the record says which versions ran.',
      'other versions may give other numbers',
    ),
  ];
}

/** `2.11.0+cu130` is 2.11.0, built for a device. */
function same(installed: string | undefined, pinned: string): boolean {
  return installed?.split('+')[0] === pinned.split('+')[0];
}

export const imageCheck: NodeCheck = {
  name: 'container',
  quick: true,
  needed: (needs) => needs.image !== null && whereJobsRun(needs),
  of: ({ facts }, { image }) =>
    given(facts.programs, 'container', (programs) => {
      const tool = image?.with ?? 'docker';
      return typeof programs[tool] === 'string'
        ? [ok(`${tool}: ${programs[tool]}`)]
        : [fail(`${tool} is not there`, `Install ${tool}, or give the target other \`environments\`.`)];
    }),
};
