// The thread that starts git, see `start-git.ts`.
import { spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { type MessagePort, parentPort } from 'node:worker_threads';
import { endGroup } from './end-group.ts';
import type { GitBeginning, GitEnd, GitOrder, GitRequest } from './start-git.ts';
import { watchMemory } from './watch-memory.ts';

/** Most bytes of the output of one git that lie between the threads. */
const MAX_UNTAKEN = 1024 * 1024;
/** Most characters that are kept of what it says. */
const MAX_SAID = 4000;

parentPort?.on('message', (order: GitOrder) => {
  try {
    start(order);
  } catch (error) {
    finish(order.port, {
      code: null,
      signal: null,
      said: '',
      failure: error instanceof Error ? error.message : String(error),
    });
  }
});

/** Starts git as the leader of a process group of its own, so that what it starts can be ended with it. */
function start({ words, environment, secret, port }: GitOrder): void {
  const child = spawn('git', words, {
    env: environment,
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe', ...(secret === undefined ? [] : ['pipe' as const])],
  });
  let said = '';
  let excessMb: number | undefined;
  const stopWatching = watchMemory(child.pid, (mostMb) => {
    excessMb = mostMb;
    kill();
  });
  child.on('exit', () => endGroup(child.pid));
  child.on('error', ({ message }) => {
    stopWatching();
    finish(port, { code: null, signal: null, said, failure: message });
  });
  child.on('close', (code, signal) => {
    stopWatching();
    finish(port, { code, signal, said, excessMb });
  });

  const { pid, stdin, stdout, stderr } = child;
  // It could not be started, and `error` follows.
  if (pid === undefined || stdin === null || stdout === null || stderr === null) return;
  port.postMessage({ pid } satisfies GitBeginning);
  const output = new SentOutput(stdout, port);
  const kill = (): void => {
    output.drop();
    if (child.exitCode === null && child.signalCode === null) endGroup(pid);
  };
  stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-MAX_SAID);
  });
  for (const stream of [stdout, stderr]) stream.on('error', kill);
  // Whoever ends before it has read everything is asked for its status, not for this.
  stdin.on('error', () => undefined);
  const pipe = child.stdio[3];
  if (secret !== undefined && pipe !== null && pipe !== undefined && 'write' in pipe) {
    pipe.on('error', () => undefined);
    pipe.end(secret);
  }
  port.on('message', (request: GitRequest) => {
    if (request.kind === 'input') stdin.write(request.text);
    else if (request.kind === 'endInput') stdin.end();
    else if (request.kind === 'taken') output.taken(request.bytes);
    else kill();
  });
}

/** Sends what git writes, no more than is taken. */
class SentOutput {
  readonly #output: Readable;
  #untaken = 0;
  #isDropped = false;

  constructor(output: Readable, port: MessagePort) {
    this.#output = output;
    output.on('data', (chunk: Buffer) => {
      if (this.#isDropped) return;
      port.postMessage(chunk);
      this.#untaken += chunk.length;
      if (this.#untaken > MAX_UNTAKEN) output.pause();
    });
  }

  taken(bytes: number): void {
    this.#untaken -= bytes;
    if (this.#untaken <= MAX_UNTAKEN) this.#output.resume();
  }

  /** Nobody wants the rest; as long as it is unread, git is not gone. */
  drop(): void {
    this.#isDropped = true;
    this.#output.resume();
  }
}

function finish(port: MessagePort, end: GitEnd): void {
  port.postMessage(end);
  port.close();
}
