import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

const PROGRAM = `
  const server = require('node:net').createServer();
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
    process.stdout.write(String(server.address().port), () => process.kill(process.pid, 'SIGSTOP'));
  });
`;

/** A port that listens, while new connections to it never complete. */
export class StoppedListener {
  readonly url: URL;
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #waiting: readonly Socket[];

  private constructor(child: ChildProcessWithoutNullStreams, port: number) {
    this.#child = child;
    this.url = new URL(`http://127.0.0.1:${port}`);
    // More connections than the listener's queue holds.
    this.#waiting = Array.from({ length: 8 }, () => connect(port, '127.0.0.1').on('error', () => undefined));
  }

  static async start(): Promise<StoppedListener> {
    const child = spawn(process.execPath, ['-e', PROGRAM]);
    const [port] = (await once(child.stdout, 'data')) as [Buffer];
    const listener = new StoppedListener(child, Number(port.toString()));
    await Promise.race(listener.#waiting.map((socket) => once(socket, 'connect')));
    return listener;
  }

  async close(): Promise<void> {
    for (const socket of this.#waiting) socket.destroy();
    this.#child.kill('SIGKILL');
    await once(this.#child, 'close');
  }
}
