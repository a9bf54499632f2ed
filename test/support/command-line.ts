import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

export const LAUNCHER = path.resolve(import.meta.dirname, '../../packages/cli/bin/portolan.js');

export interface CommandOptions {
  /** The launcher to start; left out, the one of this tree, which runs the sources, or in `npm test` what was built of them. */
  readonly launcher?: string;
  /** Program of Node.js that runs the launcher; left out, the one of the test. */
  readonly node?: string;
  readonly cwd?: string;
  /** Added to an environment that has nothing of Portolan's; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** What stands on standard input; left out, nothing does. */
  readonly stdin?: string;
}

export interface Finished {
  /** Undefined when a signal ended it. */
  readonly status: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end. */
export async function runPortolan(args: readonly string[], options: CommandOptions = {}): Promise<Finished> {
  return await new RunningPortolan(args, options).finished;
}

/** A line of the log, as JSON. */
export type LogLine = Readonly<Record<string, unknown>>;

/** A command that runs until it is told to stop. Whoever makes one stops it. */
export class RunningPortolan {
  readonly finished: Promise<Finished>;
  readonly #child: ChildProcess;
  #stdout = '';
  #stderr = '';

  constructor(
    args: readonly string[],
    { launcher = LAUNCHER, node = process.execPath, cwd, env, stdin }: CommandOptions = {},
  ) {
    this.#child = spawn(node, [launcher, ...args], {
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      env: { ...context(), ...env },
      ...(cwd === undefined ? {} : { cwd }),
    });
    this.#child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#stdout += chunk;
      this.#child.emit('log');
    });
    this.#child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#stderr += chunk;
      this.#child.emit('log');
    });
    this.#child.stdin?.on('error', () => undefined).end(stdin); // one that does not read it has closed it
    this.finished = this.#wait();
  }

  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  /** The lines logged so far that are JSON. */
  get log(): readonly LogLine[] {
    return this.#stderr
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as LogLine);
  }

  /** The first line logged with a message. Throws with everything printed when the command ends before it. */
  async logged(message: string): Promise<LogLine> {
    const find = (): LogLine | undefined => this.log.find((line) => line['msg'] === message);
    const ended = this.finished.then(() => 'ended' as const);
    for (;;) {
      const line = find();
      if (line !== undefined) return line;
      const next = await Promise.race([once(this.#child, 'log'), ended]);
      if (next !== 'ended' || find() !== undefined) continue;
      throw new Error(`the command ended before it logged "${message}":\n${this.#stdout}${this.#stderr}`);
    }
  }

  /** The first match in what it has written on standard error. Throws with everything printed when the command ends before. */
  async told(pattern: RegExp): Promise<RegExpExecArray> {
    return await this.#wrote(pattern, () => this.#stderr);
  }

  /** The same of standard output. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    return await this.#wrote(pattern, () => this.#stdout);
  }

  async #wrote(pattern: RegExp, text: () => string): Promise<RegExpExecArray> {
    const ended = this.finished.then(() => 'ended' as const);
    for (;;) {
      const found = pattern.exec(text());
      if (found !== null) return found;
      const next = await Promise.race([once(this.#child, 'log'), ended]);
      if (next !== 'ended' || pattern.test(text())) continue;
      throw new Error(`the command ended before it wrote ${pattern.source}:\n${this.#stdout}${this.#stderr}`);
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends SIGTERM unless it has ended already, and waits for the end. */
  async stop(): Promise<Finished> {
    this.#child.kill('SIGTERM');
    return await this.finished;
  }

  async #wait(): Promise<Finished> {
    // With arguments as a child process emits them.
    const [status, signal] = (await once(this.#child, 'close')) as [number | null, NodeJS.Signals | null];
    return {
      status: status ?? undefined,
      signal: signal ?? undefined,
      stdout: this.#stdout,
      stderr: this.#stderr,
    };
  }
}

/** No test asks a registry that it has not made. */
export const NO_DEFAULT_REGISTRY = { PORTOLAN_DEFAULT_REGISTRY: 'off' } as const;

/** An environment that has nothing of Portolan's. */
export function context(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => name === 'PORTOLAN_DIST' || !name.startsWith('PORTOLAN_'),
  );
  return {
    ...Object.fromEntries(own),
    PORTOLAN_LOG_FORMAT: 'json',
    NO_COLOR: '1',
    LOG_LEVEL: undefined,
    // The launcher chooses its own, below the folder for temporary files, once it has set flags of V8.
    NODE_COMPILE_CACHE: undefined,
    ...NO_DEFAULT_REGISTRY,
  };
}
