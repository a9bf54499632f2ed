import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { LAUNCHER, context } from './command-line.ts';
import { skipSuite } from './skip-suite.ts';

export interface TerminalOptions {
  readonly cwd: string;
  /** Variables to add to an environment without any of Portolan's. Undefined removes a variable. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly columns?: number;
}

export interface FinishedOnTerminal {
  /** Exit status as a shell reports it. */
  readonly status: number | undefined;
  /** Everything that the terminal received. */
  readonly screen: string;
}

const ENTER = '\r';
const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

/**
 * A command on its own terminal, which `script` of util-linux makes. Ctrl-C therefore reaches all processes
 * of the terminal. The caller has to wait for its end.
 */
export class CommandOnTerminal {
  readonly finished: Promise<FinishedOnTerminal>;
  readonly #child: ChildProcess;
  #screen = '';

  /** Skips the suite of the hook if `script` is not installed. */
  static require(hook: Mocha.Context): void {
    const folders = (process.env['PATH'] ?? '').split(path.delimiter);
    const isThere = folders.some((folder) => existsSync(path.join(folder, 'script')));
    if (process.platform !== 'linux' || !isThere)
      skipSuite(hook, 'no `script` of util-linux on this machine');
  }

  constructor(args: readonly string[], { cwd, env, columns = 120 }: TerminalOptions) {
    const words = [process.execPath, LAUNCHER, ...args].map((word) => `'${word}'`).join(' ');
    const command = `stty rows 60 cols ${columns}; exec ${words}`;
    this.#child = spawn('script', ['--quiet', '--flush', '--return', '--command', command, '/dev/null'], {
      stdio: ['pipe', 'pipe', 'inherit'],
      cwd,
      env: {
        ...context(),
        TERM: 'xterm',
        LC_ALL: 'C.UTF-8',
        NO_COLOR: undefined,
        SHELL: '/bin/sh',
        ...env,
      },
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#screen += chunk.replaceAll('\r\n', '\n');
      this.#child.emit('shown');
    });
    this.#child.stdin?.on('error', () => undefined); // The process has ended.
    this.finished = this.#wait();
  }

  get screen(): string {
    return this.#screen;
  }

  /** Types text and Enter. */
  answer(text: string): void {
    this.#child.stdin?.write(`${text}${ENTER}`);
  }

  pressEnter(): void {
    this.#child.stdin?.write(ENTER);
  }

  pressCtrlD(): void {
    this.#child.stdin?.write(CTRL_D);
  }

  pressCtrlC(): void {
    this.#child.stdin?.write(CTRL_C);
  }

  /** Returns the first match on the screen. Throws with the whole screen if the command ends before. */
  async shown(pattern: RegExp): Promise<RegExpExecArray> {
    const ended = this.finished.then(() => 'ended' as const);
    for (;;) {
      const match = pattern.exec(this.#screen);
      if (match !== null) return match;
      const next = await Promise.race([once(this.#child, 'shown'), ended]);
      if (next !== 'ended' || pattern.test(this.#screen)) continue;
      throw new Error(`the command ended before it showed ${pattern.source}:\n${this.#screen}`);
    }
  }

  async #wait(): Promise<FinishedOnTerminal> {
    // The type is the one of the event of a child process.
    const [status] = (await once(this.#child, 'close')) as [number | null];
    return { status: status ?? undefined, screen: this.#screen };
  }
}
