import { expect, test } from 'vitest';
import { type AgentExit, streamed } from './agent-answer.ts';

const refusal = '{"error": {"code": "no-such-rank", "message": "no rank 7", "hint": "there are 2"}}\n';
const going = new AbortController().signal;

async function* chunksOf(texts: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

/** What came through, and how it ended. */
async function read(texts: readonly string[], exit: AgentExit, signal = going) {
  let text = '';
  try {
    for await (const chunk of streamed(chunksOf(texts), Promise.resolve(exit), 'log', signal))
      text += Buffer.from(chunk).toString();
    return { text };
  } catch (error) {
    return { text, error };
  }
}

test('bytes pass as they come, also those that look like a refusal, when the agent ended well', async () => {
  expect(await read(['a', 'b'], { exitCode: 0 })).toEqual({ text: 'ab' });
  expect(await read([refusal, 'b', refusal], { exitCode: 0 })).toEqual({ text: `${refusal}b${refusal}` });
});

test('a refusal is an error with the code of the agent, and no bytes', async () => {
  // As Python prints it: the line, then its end.
  const { text, error } = await read([refusal.trimEnd(), '\n'], { exitCode: 3 });
  expect(text).toBe('');
  expect(error).toMatchObject({ code: 'AGENT_FAILED', agentCode: 'no-such-rank', hint: 'there are 2' });
  expect(await read(['a', refusal], { exitCode: 3 })).toMatchObject({
    text: 'a',
    error: { code: 'AGENT_FAILED' },
  });
  expect(await read([refusal, 'b'], { exitCode: 3 })).toMatchObject({
    text: `${refusal}b`,
    error: { code: 'AGENT_UNREACHABLE' },
  });
});

test('an agent that ended badly without a refusal was not reached', async () => {
  for (const exit of [{ exitCode: 1, stderr: 'Traceback\nOops' }, { originalMessage: 'Oops' }])
    expect(await read(['a', '{"error"'], exit)).toMatchObject({
      text: 'a{"error"',
      error: { code: 'AGENT_UNREACHABLE', message: 'the agent did not answer `log`: Oops', exitCode: 7 },
    });
});

test('one that was let go has not failed', async () => {
  expect(await read(['a'], {}, AbortSignal.abort())).toEqual({ text: 'a' });
});
