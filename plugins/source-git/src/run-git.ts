import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { isPortolanError, type PortolanError } from '@portolan/plugin-api';
import { gitMissing, tooLarge } from './errors.ts';
import { watchMemory } from './watch-memory.ts';

/** A call of git: nothing of it passes a shell. */
export interface GitCall {
  readonly words: readonly string[];
  /** All of its variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** What it reads from its standard input; left out: nothing. */
  readonly input?: string;
  /** What it reads from its descriptor 3, and nobody else can. */
  readonly secret?: string | undefined;
}

/** git ended with another status than 0, or was ended. */
export class GitFailure extends Error {
  readonly said: string;

  constructor(words: readonly string[], status: string, said: string) {
    super(`git ${words[0] ?? ''} ended with ${status}: ${said.trim() === '' ? 'no message' : said.trim()}`);
    this.name = 'GitFailure';
    this.said = said;
  }
}

export interface StartedGit {
  readonly child: ChildProcess & {
    readonly stdout: NodeJS.ReadableStream;
    readonly stdin: NodeJS.WritableStream;
  };
  /**
   * Settles when it and all it has started are gone: rejects with GitFailure, ERR_SOURCE_GIT_TOO_LARGE where it took
   * too much memory, or the reason of the signal.
   */
  readonly ended: Promise<void>;
  /** Ends it and all it has started. */
  kill(): void;
}

const MOST_SAID = 4000;

/** Starts git as the leader of a process group of its own, so that what it starts can be ended with it. */
export function startGit({ words, environment, signal, secret }: Omit<GitCall, 'input'>): StartedGit {
  signal.throwIfAborted();
  const child = spawn('git', words, {
    env: environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...(secret === undefined ? [] : ['pipe' as const])],
  });
  const kill = (): void => killGroup(child);
  let excess: PortolanError | undefined;
  const stopWatching = watchMemory(child.pid, (mostMb) => {
    excess = tooLarge(`git can read with ${mostMb} MB of memory`);
    kill();
  });
  signal.addEventListener('abort', kill, { once: true });
  let said = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MOST_SAID);
  });
  // Whoever ends before it has read everything is asked for its status, not for this.
  child.stdin?.on('error', () => undefined);
  const pipe = child.stdio[3];
  if (secret !== undefined && pipe !== null && pipe !== undefined && 'write' in pipe) {
    pipe.on('error', () => undefined);
    pipe.end(secret);
  }
  child.on('exit', kill);
  const ended = (async () => {
    try {
      const [code, name] = (await once(child, 'close')) as [number | null, string | null]; // of the event `close`
      signal.throwIfAborted();
      if (excess !== undefined) throw excess;
      if (code !== 0)
        throw new GitFailure(
          words,
          code === null ? String(name) : `status ${code}`,
          withoutSecret(said, secret),
        );
    } catch (error) {
      signal.throwIfAborted();
      throw error instanceof GitFailure || error === excess ? error : gitMissing(error);
    } finally {
      stopWatching();
      signal.removeEventListener('abort', kill);
    }
  })();
  // Somebody awaits it, perhaps only after having read the output.
  ended.catch(() => undefined);
  return { child, ended, kill };
}

/** Most bytes of an answer. A few objects can name each other so that listing them has no end. */
const MOST_ANSWERED = 64 * 1024 * 1024;

/**
 * Runs git to its end and answers what it wrote. Rejects with GitFailure, ERR_SOURCE_GIT_MISSING,
 * ERR_SOURCE_GIT_TOO_LARGE or the reason of the signal.
 */
export async function runGit(call: GitCall): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of chunksOf(call)) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/**
 * Runs git, and yields the records that it writes, some at a time and each without the character at its end: a
 * repository may have a million files, and nobody may wait for all of them at once. Throws what `runGit` rejects with.
 */
export async function* runGitForRecords(
  call: GitCall,
  end: '\n' | '\0',
): AsyncGenerator<readonly string[], void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of chunksOf(call)) {
    const records = (rest + decoder.decode(chunk, { stream: true })).split(end);
    rest = records.pop() ?? '';
    if (records.length > 0) yield records;
  }
}

async function* chunksOf(call: GitCall): AsyncGenerator<Buffer, void> {
  const git = startGit(call);
  git.child.stdin.end(call.input ?? '');
  // A pipe without an encoding gives buffers.
  const output = git.child.stdout as AsyncIterable<Buffer>;
  let size = 0;
  try {
    for await (const chunk of output) {
      size += chunk.length;
      if (size > MOST_ANSWERED) throw tooLarge('can be listed');
      yield chunk;
    }
    await git.ended;
  } catch (error) {
    if (isPortolanError(error)) throw error;
    await git.ended; // says more than that its output broke
    throw error;
  } finally {
    git.kill();
    await git.ended.catch(() => undefined);
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // Nothing of it is left.
  }
}

/** A server may send back what it was sent. */
function withoutSecret(said: string, secret: string | undefined): string {
  const [, username = '', password = ''] = /^username=(.*)\npassword=(.*)\n$/.exec(secret ?? '') ?? [];
  if (password === '') return said;
  const encoded = Buffer.from(`${username}:${password}`).toString('base64');
  return said.replaceAll(password, '…').replaceAll(encoded, '…');
}
