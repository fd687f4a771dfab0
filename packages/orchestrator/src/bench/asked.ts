import { parseArgs } from 'node:util';
import { HerError } from '../errors.ts';

/** What a measurement is asked to be. `rate`: metric events a second of each agent. */
export type Asked = {
  /** As `ssh` knows them; null takes those of the test bed. */
  hosts: string[] | null;
  agents: number;
  rate: number;
  seconds: number;
  warmUp: number;
  /** Folder for the processor profile of the orchestrator. */
  profile: string | null;
  json: boolean;
};

export const usage = `pnpm bench [options]: what the orchestrator takes to follow many agents at once; docs/bench.md

  --agents N      agents in all (64)
  --hosts LIST    hosts as ssh knows them, with commas (all that compute in the test bed)
  --rate N        metrics a second of each agent (50)
  --seconds N     how long is measured (60)
  --warm-up N     seconds before, once all agents run (10)
  --profile DIR   a processor profile of the orchestrator goes there
  --json          the report as JSON
`;

export function askedOf(args: readonly string[]): Asked | 'help' {
  const { values } = parseArgs({
    args: [...args].filter((word) => word !== '--'),
    options: {
      agents: { type: 'string', default: '64' },
      hosts: { type: 'string' },
      rate: { type: 'string', default: '50' },
      seconds: { type: 'string', default: '60' },
      'warm-up': { type: 'string', default: '10' },
      profile: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) return 'help';
  return {
    hosts: values.hosts?.split(',') ?? null,
    agents: atLeastOne('agents', values.agents),
    rate: atLeastOne('rate', values.rate),
    seconds: atLeastOne('seconds', values.seconds),
    warmUp: Number(values['warm-up']) || 0,
    profile: values.profile ?? null,
    json: values.json,
  };
}

function atLeastOne(name: string, text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new HerError('ARGUMENT_INVALID', `--${name} ${text}: a whole number from 1 on is expected`);
}
