import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import type { JobId } from '../plan/job.ts';
import { edited, planOf, studyText } from '../testing.ts';
import { sha256 } from './describe.ts';
import { kitSchema } from './description.ts';
import { jobFolders } from './job-folders.ts';
import { gangText, kitOf } from './testing.ts';

describe('the launch kit', () => {
  it('has the same bytes each time, whatever the order of keys in the study', () => {
    const turned = edited(
      ['      learning_rate: 3.0e-3\n', ''],
      [
        '      gradient_checkpointing: false\n',
        '      gradient_checkpointing: false\n      learning_rate: 3.0e-3\n',
      ],
    );
    const { 'study.yaml': one, ...kit } = kitOf(studyText);
    const { 'study.yaml': other, ...again } = kitOf(turned);
    expect(one).not.toBe(other);
    const but = (files: Record<string, string>) => ({ ...files, 'kit.json': '' });
    expect(but(again)).toEqual(but(kit));
    expect(kitOf(gangText)).toEqual(kitOf(gangText));
  });

  it('holds the rendered files of every job, byte for byte', () => {
    const kit = kitOf(studyText);
    for (const { name, files } of planOf(studyText).jobs)
      for (const [file, text] of Object.entries(files))
        expect(kit[`jobs/${name.replaceAll('/', '-')}/${file}`], `${name} ${file}`).toBe(text);
  });

  it('lists every file with its hash, and every job after what it needs', () => {
    const kit = kitOf(studyText);
    const listed = kitSchema.parse(JSON.parse(kit['kit.json'] ?? ''));
    expect(Object.keys(listed.files)).toEqual(
      Object.keys(kit)
        .filter((path) => path !== 'kit.json')
        .sort(),
    );
    for (const [path, hash] of Object.entries(listed.files)) expect(sha256(kit[path] ?? ''), path).toBe(hash);
    const seen = new Set<string>();
    for (const job of listed.jobs) {
      for (const need of job.needs) expect(seen, `${job.name} needs ${need}`).toContain(need);
      seen.add(job.name);
    }
  });

  it.each([
    ['the tiny fixture', studyText],
    ['two nodes', gangText],
  ])('%s: every script is one that bash can read', (_, text) => {
    const scripts = Object.entries(kitOf(text)).filter(([path]) => path.endsWith('.sh'));
    expect(scripts.length).toBeGreaterThan(8);
    for (const [path, script] of scripts) {
      expect(() => execFileSync('bash', ['-n'], { input: script, stdio: 'pipe' }), path).not.toThrow();
      expect(script, path).not.toContain('undefined');
    }
  });

  it('says in its README what is open, what is not pinned, and what the environments lack', () => {
    const { 'README.md': readme = '' } = kitOf(gangText, {
      rewards: { 'rewards/mine.py': 'def score(): 1\n' },
    });
    expect(readme).toContain(
      '- **which**: Which rows? Settled by: `data.rows.path`.\n  - Two sets are known.',
    );
    expect(readme).toContain(
      '`models/base` | `HER_MODEL_BASE` | card; **deviates from the paper**; as its card says | no',
    );
    expect(readme).toContain('`rewards/mine.py`, copied into the kit');
    expect(readme).toContain('`someone/held` of the hub');
    expect(readme).toContain('5 of 5 are not pinned by a hash');
    expect(readme).toContain('also need `deepspeed`');
    expect(readme).toContain('our lock of it has vLLM for CPUs');
    expect(readme).toContain("ssh n1 'MASTER_ADDR=n0 /path/to/kit/jobs/sft-1/node-1.sh' &");
    expect(kitOf(studyText)['README.md']).toContain('None from outside');
    expect(kitOf(studyText)['README.md']).not.toContain('Open questions');
  });

  it('keeps what a study says on its line in README and tables, whatever is in it', () => {
    const said = JSON.stringify('a\n| b \u001b[2J`c` |');
    const kit = kitOf(
      gangText
        .replace('path: { value: models/base', `path: { value: ${said}`)
        .replace('evidence: as its card says', `evidence: ${said}`)
        .replace('ask: Which rows?, facts: [Two sets are known.]', `ask: ${said}, facts: [${said}]`),
    );
    const { 'README.md': readme = '', 'jobs/sft-1/settings.tsv': settings = '' } = kit;
    expect(readme).toContain('| `` a \\| b \uFFFD[2J`c` \\| `` | `HER_MODEL_BASE` | card; ');
    expect(readme).toContain('\n- **which**: a | b \uFFFD[2J`c` | Settled by');
    expect(readme).toContain('\n  - a | b \uFFFD[2J`c` |\n');
    expect(readme + settings).not.toMatch(/[^\P{Cc}\n\t]/u);
  });

  it('has a row for every seed and every setting, with its origin', () => {
    const kit = kitOf(studyText);
    expect(kit['jobs/sft-11/seeds.tsv']).toContain('data_seed\t1777986439\teffective\torder of the rows');
    expect(kit['jobs/rl-11/seeds.tsv']).toContain('request ids (uuid4)\t\tunseeded\t');
    expect(kit['jobs/sft-11/settings.tsv']).toContain('learning_rate\t0.003\tuser\t\n');
    expect(kit['jobs/sft-11/settings.tsv']).toContain('tuner_type\t"full"\ther\t');
    expect(kit['jobs/prepare/settings.tsv']).toContain('rows.sft\t1000\tuser\t\n');
    expect(kit['jobs/evaluate-11/settings.tsv']).toContain('temperature\t1\ther\tthe default of this word\n');
  });
});

it('two jobs whose names fall together get folders of their own', () => {
  const jobs = [
    { id: 'a'.repeat(16), name: 'sft/full-1/2' },
    { id: 'b'.repeat(16), name: 'sft-full/1/2' },
    { id: 'c'.repeat(16), name: 'rl/2' },
  ].map(({ id, name }) => ({ id: id as JobId, name }));
  expect([...jobFolders(jobs).values()]).toEqual(['sft-full-1-2-aaaaaaaa', 'sft-full-1-2-bbbbbbbb', 'rl-2']);
});
