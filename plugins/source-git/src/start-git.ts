import { once } from 'node:events';
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import { endGroup } from './end-group.ts';
import { gitMissing, tooLarge } from './errors.ts';

/** A call of git: nothing of it passes a shell. */
export interface GitCall {
  readonly words: readonly string[];
  /** All of its variables. */
  readonly environment: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** What it reads from its descriptor 3, and nobody else can. */
  readonly secret?: string | undefined;
}

/** What the thread is given; through the port comes a `GitBeginning`, what git writes, piece by piece, and at last a `GitEnd`. */
export interface GitOrder extends Omit<GitCall, 'signal'> {
  readonly port: MessagePort;
}

/** What goes to the thread through the port. */
export type GitRequest =
  | { readonly kind: 'input'; readonly text: string }
  | { readonly kind: 'endInput' }
  /** Bytes of the output that somebody has read. */
  | { readonly kind: 'taken'; readonly bytes: number }
  | { readonly kind: 'kill' };

/** That a git runs. */
export interface GitBeginning {
  readonly pid: number;
}

/** How a git ended. */
export interface GitEnd {
  readonly code: number | null;
  readonly signal: string | null;
  /** The end of its messages. */
  readonly said: string;
  /** Why it could not be started. */
  readonly failure?: string;
  /** It was ended since it took more memory than this. */
  readonly excessMb?: number | undefined;
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
  /** What it writes, until it ends or is ended. Can be read once. */
  readonly output: AsyncIterator<Buffer, void> & AsyncIterable<Buffer>;
  /**
   * Settles when it and all it has started are gone: rejects with GitFailure, ERR_SOURCE_GIT_MISSING,
   * ERR_SOURCE_GIT_TOO_LARGE where it took too much memory, or the reason of the signal.
   */
  readonly ended: Promise<void>;
  /** Writes to its standard input. */
  write(text: string): void;
  /** Ends its standard input. */
  end(): void;
  /** Ends it and all it has started. */
  kill(): void;
}

/**
 * Starts git, in a thread of its own: Linux copies the page tables of whoever starts a process, and Node.js waits
 * until the new one runs. In the thread of the server that was 3 to 9 ms in which nobody was answered.
 */
export function startGit({ words, environment, signal, secret }: GitCall): StartedGit {
  signal.throwIfAborted();
  thread ??= startThread(); // it may throw, while there is no port yet that somebody would have to close
  const { port1: port, port2 } = new MessageChannel();
  const ask = (request: GitRequest): void => port.postMessage(request);
  const chunks: Uint8Array[] = [];
  let pid: number | undefined;
  let end: GitEnd | undefined;
  const kill = (): void => {
    // At once, since this process may end before the thread has read what it is told.
    if (end === undefined) endGroup(pid);
    ask({ kind: 'kill' });
  };
  let news = Promise.withResolvers<void>();
  port.on('message', (message: GitBeginning | Uint8Array | GitEnd) => {
    if (message instanceof Uint8Array) chunks.push(message);
    else if ('pid' in message) ({ pid } = message);
    else end = message;
    news.resolve();
  });
  let isClosed = false;
  const closed = once(port, 'close').finally(() => {
    isClosed = true;
    news.resolve();
  });
  let died: unknown;
  waitForThread(port, (error) => {
    died = error;
    endGroup(pid);
  });
  thread.postMessage({ words, environment, secret, port: port2 } satisfies GitOrder, [port2]);
  signal.addEventListener('abort', kill, { once: true });

  async function* read(): AsyncGenerator<Buffer, void> {
    for (;;) {
      const chunk = chunks.shift();
      if (chunk !== undefined) {
        ask({ kind: 'taken', bytes: chunk.length });
        yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
      } else if (isClosed) return;
      else {
        await news.promise;
        news = Promise.withResolvers();
      }
    }
  }

  const ended = (async () => {
    await closed;
    signal.removeEventListener('abort', kill);
    signal.throwIfAborted();
    if (end === undefined) throw new Error('the thread that starts git has ended', { cause: died });
    const { code, failure, excessMb, said } = end;
    if (failure !== undefined) throw gitMissing(new Error(failure));
    if (excessMb !== undefined) throw tooLarge(`git can read with ${excessMb} MB of memory`);
    if (code === 0) return;
    const status = code === null ? String(end.signal) : `status ${code}`;
    throw new GitFailure(words, status, withoutSecret(said, secret));
  })();
  // Somebody awaits it, perhaps only after having read the output.
  ended.catch(() => undefined);
  return {
    output: read(),
    ended,
    write: (text) => ask({ kind: 'input', text }),
    end: () => ask({ kind: 'endInput' }),
    kill,
  };
}

/** A server may send back what it was sent. */
function withoutSecret(said: string, secret: string | undefined): string {
  const [, username = '', password = ''] = /^username=(.*)\npassword=(.*)\n$/.exec(secret ?? '') ?? [];
  if (password === '') return said;
  const encoded = Buffer.from(`${username}:${password}`).toString('base64');
  return said.replaceAll(password, '…').replaceAll(encoded, '…');
}

/** To start it takes 60 ms of processor time, to keep it 8 MB. */
const IDLE_MS = 10 * 60_000;

let thread: Worker | undefined;
/** Those that wait for a git, by their port, and what they do when the thread dies. */
const running = new Map<MessagePort, (error: unknown) => void>();
let idle: NodeJS.Timeout | undefined;

function waitForThread(port: MessagePort, die: (error: unknown) => void): void {
  clearTimeout(idle);
  running.set(port, die);
  port.on('close', () => {
    running.delete(port);
    if (running.size > 0) return;
    idle = setTimeout(() => {
      void thread?.terminate();
      thread = undefined;
    }, IDLE_MS).unref();
  });
}

function startThread(): Worker {
  const file = import.meta.url.endsWith('.ts') ? './git-thread.ts' : './git-thread.js';
  const started = new Worker(new URL(file, import.meta.url));
  started.unref(); // those that wait for it have a port each
  let fault: unknown;
  started.on('error', (error) => {
    fault = error;
  });
  started.on('exit', () => {
    if (thread !== started) return; // idle, and ended here
    thread = undefined;
    for (const [port, die] of running) {
      die(fault);
      port.close();
    }
  });
  return started;
}
