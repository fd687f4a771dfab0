import type { JobDescription } from './description.ts';
import type { ReadmeContext } from './readme-context.ts';

/** The order of the jobs, how one is run, and how it goes on after a failure. */
export function runPart({ loaded, described }: ReadmeContext): string {
  const { jobs } = described;
  const alone = jobs.find(({ nodes }) => nodes === 1);
  const several = jobs.find(({ nodes }) => nodes > 1);
  const { target } = loaded.study;
  return [
    `## The jobs, in order

Each is run once all that it needs have ended well. Jobs that do not need each other can run side by side.

| job | folder | trainer | nodes | needs |
| --- | ------ | ------- | ----- | ----- |
${jobs.map(row).join('\n')}`,
    `## Run
${alone === undefined ? '' : `\nOn one node:\n\n\`\`\`sh\njobs/${alone.folder}/run.sh\n\`\`\`\n`}${
  several === undefined ? '' : nodesPart(several, target.kind === 'ssh' ? target.hosts : [])
}
\`run.sh\` is \`inputs.sh\` and \`launch.sh\` with a few checks; \`launch.sh\` takes further words for the trainer.
What is set in your shell reaches the trainer too (\`her run\` lets nothing through): a \`CUDA_VISIBLE_DEVICES\`, say.
What a job writes is in \`jobs/JOB/out\`; what it prints goes to the terminal. \`out/.job\` holds the job's id and
\`out/.done\` appears when it has ended well; a job that needs it does not start before. A second run of a job is refused
while its \`out\` is there: move it away to start over.`,
    `## Go on after a failure

\`\`\`sh
jobs/JOB/run.sh resume                 # from the checkpoint with the highest number under out/
jobs/JOB/run.sh resume CHECKPOINT      # from another one: the name of its folder
\`\`\`

On several nodes, all \`node-K.sh\` get the same words. A trainer that was killed while it saved leaves a torn checkpoint:
if the newest one does not load, name the one before. \`her run\` checks that by itself; these scripts do not.
${verlMetrics(jobs)}${cannotResume(jobs)}`,
  ].join('\n\n');
}

function row({ name, folder, trainer, nodes, gpusPerNode, needs }: JobDescription): string {
  const size = gpusPerNode === 0 ? String(nodes) : `${nodes} × ${gpusPerNode} GPUs`;
  return `| ${name} | \`jobs/${folder}\` | ${trainer} | ${size} | ${needs.join(', ')} |`;
}

function nodesPart({ folder, nodes }: JobDescription, hosts: readonly string[]): string {
  const named = (rank: number): string => {
    const host = hosts[rank] ?? '';
    return /^[\w.@:-]+$/.test(host) ? host : `NODE_${rank}`;
  };
  const lines = Array.from({ length: nodes }, (_, rank) => {
    return `ssh ${named(rank)} 'MASTER_ADDR=${named(0).replace(/^.*@/, '')} /path/to/kit/jobs/${folder}/node-${rank}.sh' &`;
  });
  return `
On several nodes, all at the same time. The kit lies in a folder that all of them share, under the same path:

\`\`\`sh
${lines.join('\n')}
wait
\`\`\`

\`MASTER_ADDR\` is node 0 as the other nodes reach it, \`MASTER_PORT\` names another port on node 0. \`NCCL_SOCKET_IFNAME\` and the like are taken from the environment as they are.
`;
}

function cannotResume(jobs: readonly JobDescription[]): string {
  const fixed = [...new Set(jobs.filter(({ resumable }) => !resumable).map(({ stage }) => stage))];
  if (fixed.length === 0) return '';
  return `\nThese start over instead, because they leave no checkpoint that this kit can go on from: ${fixed.join(', ')}.`;
}

function verlMetrics(jobs: readonly JobDescription[]): string {
  if (jobs.every(({ environment }) => environment !== 'verl')) return '';
  return 'verl begins `out/metrics.jsonl` anew: the former one is kept as `metrics.jsonl.1`, `.2` and so on.\n';
}
