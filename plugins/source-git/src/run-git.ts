import { setImmediate as nextTurn } from 'node:timers/promises';
import { tooLarge } from './errors.ts';
import { type GitCall, startGit } from './start-git.ts';

/** A call of git that is given all of its input at once. */
export interface GitRun extends GitCall {
  /** What it reads from its standard input; left out: nothing. */
  readonly input?: string;
}

/** Most bytes of an answer. A few objects can name each other so that listing them has no end. */
const MAX_ANSWERED = 64 * 1024 * 1024;

/**
 * Runs git to its end and answers what it wrote. Rejects with GitFailure, ERR_SOURCE_GIT_MISSING,
 * ERR_SOURCE_TOO_LARGE or the reason of the signal.
 */
export async function runGit(call: GitRun): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(call)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Runs git, and yields the records that it writes, some at a time and each without the character at its end: a
 * repository may have a million files, and nobody may wait for all of them at once. Throws what `runGit` rejects with.
 */
export async function* runGitForRecords(
  call: GitRun,
  end: '\n' | '\0',
): AsyncGenerator<readonly string[], void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunksOf(call)) {
    const records = (rest + decoder.decode(chunk, { stream: true })).split(end);
    rest = records.pop() ?? '';
    if (records.length > 0) yield records;
    await nextTurn(); // requests go first: git is often far ahead
  }
}

async function* chunksOf(call: GitRun): AsyncGenerator<Buffer, void> {
  const git = startGit(call);
  if (call.input !== undefined) git.write(call.input);
  git.end();
  let size = 0;
  try {
    for await (const chunk of git.output) {
      size += chunk.length;
      if (size > MAX_ANSWERED) throw tooLarge('can be listed');
      yield chunk;
    }
    await git.ended;
  } finally {
    git.kill();
    await git.ended.catch(() => undefined);
  }
}
