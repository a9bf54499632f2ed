import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

const SCRIPT = path.join(import.meta.dirname, 'run-proxy.ts');

/** A proxy in its own process, which a test can kill. The caller has to end it. */
export class ProxyProcess {
  readonly url: URL;
  readonly #child: ChildProcess;

  private constructor(url: URL, child: ChildProcess) {
    this.url = url;
    this.#child = child;
  }

  static async start(target: URL, redis: URL): Promise<ProxyProcess> {
    const options = ['--conditions', '@portolan/source', SCRIPT, target.href, redis.href];
    const child = spawn(process.execPath, options, { stdio: ['ignore', 'pipe', 'inherit'] });
    const lines = createInterface({ input: child.stdout });
    const said = await Promise.race([once(lines, 'line'), once(child, 'exit').then(() => undefined)]);
    if (said === undefined) throw new Error('the proxy has ended before it was open');
    return new ProxyProcess(new URL(String(said[0])), child);
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }
}
