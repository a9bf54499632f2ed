import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/** A running Node.js program. The caller has to stop it. */
export class BackgroundProgram {
  readonly #child: ChildProcess;
  readonly #ended: Promise<unknown>;
  #printed = '';

  /** The variable `PORT` makes the program listen on a free port. */
  constructor(args: readonly string[], cwd: string) {
    this.#child = spawn(process.execPath, [...args], {
      cwd,
      env: { ...process.env, PORT: '0' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#printed += chunk;
      this.#child.emit('printed');
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#printed += chunk;
    });
    this.#ended = once(this.#child, 'close');
  }

  /**
   * Returns the first printed line that matches a pattern. Throws with the whole output if the program ends
   * before.
   */
  async line(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      for (const line of this.#printed.split('\n').slice(0, -1)) {
        const match = pattern.exec(line);
        if (match !== null) return match;
      }
      const ended = this.#ended.then(() => 'ended' as const);
      const next = await Promise.race([once(this.#child, 'printed'), ended]);
      if (next === 'ended') throw new Error(`it ended before it was ready:\n${this.#printed}`);
    }
  }

  /** Sends SIGTERM and waits for the end. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    await this.#ended;
  }
}
