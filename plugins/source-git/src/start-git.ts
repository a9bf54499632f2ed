import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { gitMissing } from './errors.ts';

/** Call of git, which starts without a shell. */
export interface GitCall {
  readonly words: readonly string[];
  /** All environment variables of the process. */
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Text that only git can read, from its descriptor 3. */
  readonly secret?: string | undefined;
}

/** Maximum number of characters of standard error that a failure contains. */
const MAX_STDERR_CHARACTERS = 4000;

export class GitFailure extends Error {
  readonly output: string;

  constructor(words: readonly string[], status: string, text: string) {
    super(`git ${words[0] ?? ''} ended with ${status}: ${text.trim() === '' ? 'no message' : text.trim()}`);
    this.name = 'GitFailure';
    this.output = text;
  }
}

export interface StartedGit {
  /** Standard output. It can be read once. */
  readonly output: AsyncGenerator<Buffer, void>;
  /**
   * Settles when git and its child processes have ended. Rejects with GitFailure, ERR_SOURCE_GIT_MISSING or
   * the reason of the signal.
   */
  readonly ended: Promise<void>;
  write(text: string): void;
  end(): void;
  kill(): void;
}

/** Starts git as the leader of a process group, so that `kill` reaches the processes that it starts. */
export function startGit({ words, environment, signal, secret }: GitCall): StartedGit {
  signal.throwIfAborted();
  const child = spawn('git', words, {
    env: environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', secret === undefined ? 'ignore' : 'pipe'],
  });
  const [stdin, stdout, stderr, pipe] = child.stdio;
  if (stdin === null || stdout === null || stderr === null) throw gitMissing(new Error('git has no pipes'));
  const kill = (): void => {
    if (child.exitCode === null && child.signalCode === null) killGroup(child);
    stdout.destroy();
  };
  // If git exits early, its pipes break; its status says why.
  stdin.on('error', () => undefined);
  if (secret !== undefined && pipe !== null && pipe !== undefined && 'write' in pipe) {
    pipe.on('error', () => undefined);
    pipe.end(secret);
  }
  signal.addEventListener('abort', kill, { once: true });
  const ended = waitForEnd(child, stderr, words, secret).finally(() => {
    signal.removeEventListener('abort', kill);
    signal.throwIfAborted();
  });
  ended.catch(() => undefined); // the caller may await it later
  return {
    output: readOutput(stdout, ended),
    ended,
    write: (text) => void stdin.write(text),
    end: () => void stdin.end(),
    kill,
  };
}

async function waitForEnd(
  child: ChildProcess,
  stderr: Readable,
  words: readonly string[],
  secret: string | undefined,
): Promise<void> {
  let message = '';
  stderr.setEncoding('utf8').on('data', (text: string) => {
    message = (message + text).slice(-MAX_STDERR_CHARACTERS);
  });
  child.on('exit', () => killGroup(child));
  const exited = once(child, 'exit').catch((error: unknown) => {
    throw gitMissing(error);
  });
  // The child processes of git share its standard error, so it closes when the last of them is gone.
  const [[code, exitSignal]] = await Promise.all([exited, once(stderr, 'close')]);
  if (code === 0) return;
  const status = code === null ? String(exitSignal) : `status ${code}`;
  throw new GitFailure(words, status, withoutSecret(message, secret));
}

/** Throws the error of git where the output breaks off. */
async function* readOutput(stdout: Readable, ended: Promise<void>): AsyncGenerator<Buffer, void> {
  try {
    yield* stdout;
  } catch (error) {
    await ended;
    throw error;
  }
}

function killGroup({ pid }: ChildProcess): void {
  if (pid === undefined) return; // git did not start
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // no process of the group is left
  }
}

/** Removes the password from output, because a server may have sent it back. */
function withoutSecret(text: string, secret: string | undefined): string {
  const [, username = '', password = ''] = /^username=(.*)\npassword=(.*)\n$/.exec(secret ?? '') ?? [];
  if (password === '') return text;
  const encoded = Buffer.from(`${username}:${password}`).toString('base64');
  return text.replaceAll(password, '…').replaceAll(encoded, '…');
}
