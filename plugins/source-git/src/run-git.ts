import { setImmediate as nextTurn } from 'node:timers/promises';
import { tooLarge } from './errors.ts';
import { type GitCall, startGit } from './start-git.ts';

export interface GitRun extends GitCall {
  readonly input?: string;
}

/** Maximum size of a response of git: a few objects that refer to each other can make a list endless. */
const MAX_ANSWERED = 64 * 1024 * 1024;

/**
 * Runs git and returns its output. Rejects with GitFailure, ERR_SOURCE_GIT_MISSING, ERR_SOURCE_TOO_LARGE or
 * the reason of the signal.
 */
export async function runGit(call: GitRun): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(call)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Yields groups of records, each without its terminator: a repository may have a million files, and
 * processing all at once would block requests. Throws what `runGit` rejects with.
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
    await nextTurn(); // yield to requests first, because git is often ahead of this process
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
