import { join } from 'node:path';
import { nodesOf } from '../doctor/nodes-of.ts';
import { exitCodeOf, runDoctor } from '../doctor/run-doctor.ts';
import { tryS3 } from '../doctor/try-store.ts';
import { callerDirectory, openHome } from '../home.ts';
import { openSshRunner } from '../ssh/open-runner.ts';
import { resolveHost } from '../ssh/resolve.ts';
import { openStudyFile } from '../study-file.ts';
import { buildAgent } from '../targets/local/agent-archive.ts';
import { localRunner } from '../targets/local/local-runner.ts';
import { doctorJson, doctorText } from '../views/doctor.ts';
import { oneLine } from '../views/words.ts';

export type DoctorCommandOptions = {
  home?: string;
  target?: string;
  deep: boolean;
  limit: number;
  json: boolean;
};

/** `her doctor STUDY`: every node of the study looked at, side by side, before any GPU hour is spent. */
export async function doctor(file: string, options: DoctorCommandOptions): Promise<number> {
  const home = openHome(options.home);
  const planned = await openStudyFile(file, callerDirectory(), { target: options.target, hash: false });
  const archive = await buildAgent(join(home.root, 'agent'));
  const say = (line: string): void => {
    process.stderr.write(`${oneLine(line)}\n`);
  };
  const nodes = await nodesOf(planned.plan, {
    local: localRunner,
    openRunner: (host) => openSshRunner(host, { home, say }),
    addressOf: async (host) => (await resolveHost(host)).hostname,
  });
  const diagnosis = await runDoctor(planned, nodes, {
    home,
    archive,
    deep: options.deep,
    limit: options.limit,
    tryStore: tryS3,
    say,
  });
  process.stdout.write(
    `${options.json ? JSON.stringify(doctorJson(planned, diagnosis)) : doctorText(file, diagnosis)}\n`,
  );
  return exitCodeOf(diagnosis.findings);
}
