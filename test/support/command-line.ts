import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

export const LAUNCHER = path.resolve(import.meta.dirname, '../../packages/cli/bin/portolan.js');

export interface CommandOptions {
  /** Launcher to start. The default runs the sources, or the build in `npm test`. */
  readonly launcher?: string;
  /** Node.js program that runs the launcher. The default is the one of the test. */
  readonly node?: string;
  readonly cwd?: string;
  /** Variables to add to an environment without any of Portolan's. Undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Standard input. The default is empty. */
  readonly stdin?: string;
}

export interface Finished {
  /** Exit status, or undefined if a signal ended the process. */
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

/** A running command. The caller has to stop it. */
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
    // The process may close its input before it reads it.
    this.#child.stdin?.on('error', () => undefined).end(stdin);
    this.finished = this.#wait();
  }

  get pid(): number {
    return this.#child.pid ?? Number.NaN;
  }

  /** Lines of the log so far that are JSON. */
  get log(): readonly LogLine[] {
    return this.#stderr
      .split('\n')
      .filter((line) => line.startsWith('{') && line.endsWith('}'))
      .map((line) => JSON.parse(line) as LogLine);
  }

  /** Returns the first log line with a message. Throws with the whole output if the command ends before. */
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

  /** Returns the first match in standard error. Throws with the whole output if the command ends before. */
  async told(pattern: RegExp): Promise<RegExpExecArray> {
    return await this.#wrote(pattern, () => this.#stderr);
  }

  /** Returns the first match in standard output. Throws with the whole output if the command ends before. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    return await this.#wrote(pattern, () => this.#stdout);
  }

  async #wrote(pattern: RegExp, text: () => string): Promise<RegExpExecArray> {
    const ended = this.finished.then(() => 'ended' as const);
    for (;;) {
      const match = pattern.exec(text());
      if (match !== null) return match;
      const next = await Promise.race([once(this.#child, 'log'), ended]);
      if (next !== 'ended' || pattern.test(text())) continue;
      throw new Error(`the command ended before it wrote ${pattern.source}:\n${this.#stdout}${this.#stderr}`);
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Sends SIGTERM unless the process has ended, and waits for its end. */
  async stop(): Promise<Finished> {
    this.#child.kill('SIGTERM');
    return await this.finished;
  }

  async #wait(): Promise<Finished> {
    // The type is the one of the event of a child process.
    const [status, signal] = (await once(this.#child, 'close')) as [number | null, NodeJS.Signals | null];
    return {
      status: status ?? undefined,
      signal: signal ?? undefined,
      stdout: this.#stdout,
      stderr: this.#stderr,
    };
  }
}

/** Tests only use registries that they start. */
export const NO_DEFAULT_REGISTRY = { PORTOLAN_DEFAULT_REGISTRY: 'off' } as const;

/** Environment without variables of Portolan. */
export function context(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(
    ([name]) => name === 'PORTOLAN_DIST' || !name.startsWith('PORTOLAN_'),
  );
  return {
    ...Object.fromEntries(own),
    PORTOLAN_LOG_FORMAT: 'json',
    NO_COLOR: '1',
    LOG_LEVEL: undefined,
    // The launcher sets its own cache below the temporary folder after it has set flags of V8.
    NODE_COMPILE_CACHE: undefined,
    ...NO_DEFAULT_REGISTRY,
  };
}
