import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { ServerConnection } from '@portolan/plugin-api';

/** Maximum time that a process has to end after its input ended, in milliseconds. */
const END_MS = 100;

/** A connection to a real process, with one message per line of its standard input and output. */
export class ChildConnection implements ServerConnection {
  readonly received: AsyncIterable<string>;
  readonly process: ChildProcessWithoutNullStreams;
  readonly #exited: Promise<unknown>;

  constructor(command: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
    this.process = spawn(command, args, { env: { ...process.env, ...env } });
    this.#exited = once(this.process, 'close');
    this.process.stderr.resume();
    // A write to an ended process fails; the close event reports the end.
    this.process.stdin.on('error', () => undefined);
    this.received = readLines(this.process.stdout);
  }

  async send(message: string): Promise<void> {
    if (!this.process.stdin.write(`${message}\n`)) await once(this.process.stdin, 'drain');
  }

  async close(): Promise<void> {
    this.process.stdin.end();
    const timer = setTimeout(() => this.process.kill('SIGKILL'), END_MS);
    await this.#exited;
    clearTimeout(timer);
  }
}

/** Splits a stream at LF only, because other line breaks may occur inside JSON strings. */
async function* readLines(stream: AsyncIterable<Buffer>): AsyncGenerator<string> {
  let pieces: Buffer[] = [];
  for await (const chunk of stream) {
    let from = 0;
    for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, from)) {
      yield Buffer.concat([...pieces, chunk.subarray(from, at)]).toString('utf8');
      pieces = [];
      from = at + 1;
    }
    pieces.push(chunk.subarray(from));
  }
}
