import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { NodeReport, ReachedNode } from '../node-report.ts';
import { linksReply, probeReply, reduceReply } from '../probe-reply.ts';
import { facts, folder, gpu, machine, needs, nvidia, swiftNeed, twoNodes } from '../testing.ts';
import { findingsOf } from './all-checks.ts';

/** Whatever nodes answer within the protocol, what is said of it can be read and acted on. */

const size = fc.oneof(fc.constant(null), fc.integer({ min: 0, max: 2 ** 46 }));
/** A card whose name is `null` is told as that: what is looked for is a null of ours. */
const word = fc.stringMatching(/^[a-z]{1,6}$/).filter((one) => !one.includes('null'));
const answered = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 4, arbitrary: value.map((ok) => ({ ok })) },
    word.map((error) => ({ error })),
    fc.integer({ min: 1, max: 60 }).map((late) => ({ late })),
  );
/** An object of the sound one's keys, some of whose values are others. */
const like = <T extends object>(sound: T, others: { [K in keyof T]?: fc.Arbitrary<T[K]> }) =>
  fc
    .record(others as { [K in keyof T]: fc.Arbitrary<T[K]> }, { requiredKeys: [] })
    .map((some) => ({ ...sound, ...some }));

const anyMachine = like(machine(), {
  host: word,
  bootId: word,
  cores: fc.integer({ min: 1, max: 256 }),
  memoryBytes: size,
  freeMemoryBytes: size,
  load: fc.array(fc.double({ min: 0, max: 900, noNaN: true }), { maxLength: 3 }),
  freeShmBytes: size,
  openFiles: size,
  lockedMemory: size,
  clockSynchronized: fc.constantFrom(true, false, null),
});
const process = fc.record(
  {
    pid: fc.option(fc.nat()),
    name: fc.oneof(word, fc.constant('')),
    graphics: fc.boolean(),
    bytes: size,
    user: fc.option(word),
  },
  { requiredKeys: ['pid', 'name', 'graphics', 'bytes'] },
);
const anyGpu = like(gpu(), {
  name: fc.option(word),
  totalBytes: size,
  usedBytes: size,
  freeBytes: size,
  uncorrectedErrors: fc.option(fc.nat()),
  remapPending: fc.boolean(),
  remapFailed: fc.boolean(),
  mig: fc.boolean(),
  processes: fc.array(process, { maxLength: 2 }),
});
const anyGpus = fc.record({
  tool: fc.constantFrom('nvidia-smi' as const, 'rocm-smi' as const, null),
  problem: fc.option(word),
  vendor: fc.constant(null),
  driver: fc.option(word),
  cuda: fc.constantFrom('11.7', '12.2', '13.1', null),
  gpus: fc.array(anyGpu, { maxLength: 3 }),
});
const anyFolder = fc
  .tuple(
    like(folder(), {
      exists: fc.boolean(),
      folder: fc.boolean(),
      freeInodes: size,
      freeBytes: fc.constantFrom(0, 10e9, 500e9),
      problem: fc.option(word),
    }),
    fc.boolean(),
  )
  .map(([{ path, problem, ...told }, bare]) => (bare ? { path, problem } : { path, problem, ...told }));
const anyEnvironment = fc.record({
  path: fc.constant('/e'),
  exists: fc.boolean(),
  python: fc.boolean(),
  versions: fc.dictionary(
    fc.constantFrom('ms-swift', 'torch', 'flash-attn'),
    fc.constantFrom('4.6.0', '2.11.0+cu130'),
  ),
});
const under = <T>(name: string, value: fc.Arbitrary<T>): fc.Arbitrary<Record<string, T>> =>
  fc.option(value).map((one) => (one === null ? {} : { [name]: one }));
const anyFacts = fc.record({
  machine: answered(anyMachine),
  gpus: answered(anyGpus),
  programs: answered(fc.dictionary(fc.constant('docker'), fc.option(word))),
  folders: fc.record({ root: answered(anyFolder), tmp: answered(anyFolder) }, { requiredKeys: [] }),
  paths: under(
    '/rows',
    answered(fc.record({ path: word, folder: fc.boolean(), bytes: size, readable: fc.boolean() })),
  ),
  models: under('/m', answered(fc.record({ path: word, bytes: fc.nat(), problems: fc.array(word) }))),
  environments: under('swift', answered(anyEnvironment)),
  reach: under('hub', answered(fc.record({ milliseconds: fc.nat(), proxy: fc.boolean() }))),
});
const port = fc.oneof(fc.record({ milliseconds: fc.nat() }), fc.record({ why: word }));
const anyLinks = fc.record(
  {
    links: answered(
      fc.record({
        busy: fc.array(fc.constantFrom(20_001, 25_001)),
        reached: fc.dictionary(
          fc.constantFrom('n0', 'n1'),
          fc.dictionary(fc.constantFrom('20001', '25001'), port),
        ),
        heard: fc.array(word),
      }),
    ),
    shared: answered(fc.record({ place: word, unseen: fc.array(fc.constantFrom('n0', 'n1', 'n9')) })),
  },
  { requiredKeys: ['links'] },
);
const problem = fc.record({ problem: word });
const anyReduce = fc.record(
  { ok: fc.boolean(), why: word, said: word, milliseconds: fc.nat(), torch: word },
  { requiredKeys: ['ok'] },
);

const reached = (name: string): fc.Arbitrary<ReachedNode> =>
  fc
    .record({
      facts: anyFacts.map((some) => probeReply.parse({ ...facts(), ...some })),
      clock: fc.record({
        offset: fc.double({ min: -1e8, max: 1e8, noNaN: true }),
        bound: fc.double({ min: 0, max: 1e4, noNaN: true }),
      }),
      address: fc.option(word),
      links: fc.option(
        fc.oneof(
          anyLinks.map((one) => linksReply.parse(one)),
          problem,
        ),
      ),
      reduce: fc.option(
        fc.oneof(
          anyReduce.map((one) => reduceReply.parse(one)),
          problem,
        ),
      ),
    })
    .map(({ links, reduce, ...rest }) => ({
      node: name,
      reached: true,
      milliseconds: 3,
      ...rest,
      ...(links === null ? {} : { links }),
      ...(reduce === null ? {} : { reduce }),
    }));
const anyNeeds = fc
  .record({
    kind: fc.constantFrom('local' as const, 'ssh' as const, 'slurm' as const),
    gangs: fc.boolean(),
    storage: fc.constantFrom('own' as const, 'shared' as const),
    gpus: fc.option(
      fc.record({
        perNode: fc.integer({ min: 0, max: 3 }),
        kind: fc.constantFrom('H100-80', null),
        memoryGb: fc.constantFrom(0, 80),
      }),
    ),
    flash: fc.constantFrom([], ['sft']),
    locked: fc.boolean(),
    image: fc.option(fc.constant({ name: 'docker://x', with: 'docker' as const })),
    onlyToSetUp: fc.boolean(),
  })
  .map(({ flash, locked, onlyToSetUp, ...rest }) =>
    needs({
      ...rest,
      nodes: twoNodes,
      environments: [swiftNeed({ flash, locked })],
      inputs: [
        { name: '/m', path: '/m', model: true },
        { name: '/rows', path: '/rows', model: false },
      ],
      servers: [{ name: 'hub', host: 'hub', port: 443, tls: true, why: 'rows come from it', onlyToSetUp }],
    }),
  );

test('every failure and every warning of every check says what to do; every line holds what was told', () => {
  const seen = new Set<string>();
  fc.assert(
    fc.property(reached('n0'), reached('n1'), anyNeeds, (n0, n1, want) => {
      const reports: NodeReport[] = [n0, n1];
      for (const finding of findingsOf(reports, want, { quick: false, deep: true })) {
        seen.add(`${finding.check} ${finding.status}`);
        expect(finding.what).not.toMatch(/undefined|NaN|Infinity|null|\(\)|^$/);
        if (finding.status === 'fail' || finding.status === 'warn') expect(finding.remedy).toMatch(/\w/);
      }
    }),
    { numRuns: 1500 },
  );
  // Each check was seen to pass and, where it can, to fail.
  for (const check of [
    'gpus',
    'driver',
    'gpu use',
    'ecc',
    'root',
    'disk',
    'trainer',
    'ports',
    'shared root',
    'network',
    'memory',
    'clock',
  ])
    for (const status of ['ok', 'fail']) expect(seen).toContain(`${check} ${status}`);
});

test('an answer out of the protocol is refused as a whole, and texts are cut to a line', () => {
  const long = 'x'.repeat(2000);
  expect(probeReply.parse(facts({ machine: { ok: machine({ os: long }) } })).machine).toMatchObject({
    ok: { os: 'x'.repeat(500) },
  });
  expect(probeReply.safeParse({ ...facts(), protocol: 2 }).success).toBe(false);
  expect(probeReply.safeParse(facts({ gpus: nvidia([gpu({ totalBytes: -1 })]) })).success).toBe(false);
  expect(probeReply.safeParse(z.object({}).parse(facts())).success).toBe(false);
});
