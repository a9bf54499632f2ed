import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, closeSync, fstatSync, openSync, readSync, unlinkSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { PortolanError } from '@portolan/plugin-api';
import { ForwardedError } from '../forwarded-error.ts';
import { makeFolders } from '../state/make-folders.ts';
import { findProcess, type ProcessIdentity } from '../state/process-identity.ts';
import { supervisorEnvironment } from './supervisor-environment.ts';
import { supervisorEnded, supervisorUnstartable } from './supervise-errors.ts';
import type { ReadyWorkload, ReportListener, SupervisorOrder, SupervisorReport } from './supervisor-order.ts';
import { randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';

/** Temporary file without a name, which the system deletes when the last process closes it or ends. */
class UnlinkedFile {
  #descriptor: number | undefined;

  constructor() {
    const file = path.join(tmpdir(), `portolan-${randomUUID()}`);
    try {
      this.#descriptor = openSync(file, 'ax+', 0o600);
      unlinkSync(file);
    } catch {
      // If the file cannot be created, such as on a full disk, the output of the process is discarded.
    }
  }

  /** Value for the `stdio` of a child process. */
  get stdio(): number | 'ignore' {
    return this.#descriptor ?? 'ignore';
  }

  /** Returns the content, empty if the file could not be created or is closed. */
  read(): string {
    if (this.#descriptor === undefined) return '';
    const bytes = Buffer.alloc(fstatSync(this.#descriptor).size);
    readSync(this.#descriptor, bytes, 0, bytes.length, 0);
    return bytes.toString('utf8');
  }

  close(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
  }
}

export interface SupervisorProgram {
  readonly program: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /**
   * Path of the configuration file that names the plugins. By default, the supervisor reads the user's
   * configuration.
   */
  readonly configFile?: string | undefined;
  /** Whether the log of the workload contains each step and decision; default: no. */
  readonly isDebug?: boolean | undefined;
}

export interface LaunchOptions {
  /** Log file of the workload. Created if it does not exist. */
  readonly logFile: string;
  readonly onReport: ReportListener;
  /**
   * Signal that stops the supervisor, as long as the supervisor is not ready. The supervisor first removes
   * what it created.
   */
  readonly signal: AbortSignal;
}

/** Supervisor process that has received its order. */
export interface LaunchedSupervisor {
  readonly process: ProcessIdentity;
  /**
   * Resolves when the workload responds. Rejects with the failure that the supervisor reports, with
   * ERR_SUPERVISOR_ENDED or with the reason of the signal. The process has ended when it rejects.
   */
  readonly ready: Promise<ReadyWorkload>;
  /** Stops listening to the supervisor. Afterwards, its reports and the signal have no effect. */
  release(): void;
}

/** Maximum time for a supervisor to remove what it created, in milliseconds. Then it is killed. */
const END_MS = 45_000;

/**
 * Delay between killing a supervisor and reporting its end, in milliseconds. A killed supervisor removes
 * nothing, and the engine may still be creating what the supervisor requested last. After the delay, the
 * caller removes the leftovers.
 */
const ENGINE_MS = 1000;

/**
 * Process of a supervisor. It has its own system session, so that it outlives the process that starts it. It
 * loads modules and plugins before it receives its order, and exits if the starting process ends before that.
 */
export class SupervisorProcess {
  readonly #child: ChildProcess;
  readonly #output = new UnlinkedFile();
  readonly #exited: Promise<Exit>;
  readonly #ready = Promise.withResolvers<ReadyWorkload>();
  #isIdle = true;
  #isReleased = false;
  #error: Error | undefined;
  #failed: PortolanError | undefined;
  #onReport: ReportListener = () => undefined;
  #stopListening: () => void = () => undefined;

  constructor({ program: [file = '', ...args], environment, configFile, isDebug }: SupervisorProgram) {
    const { stdio } = this.#output;
    this.#child = spawn(file, args, {
      detached: true,
      stdio: ['ignore', stdio, stdio, 'ipc'],
      env: {
        ...supervisorEnvironment(environment),
        ...(configFile === undefined ? {} : { PORTOLAN_CONFIG: configFile }),
        ...(isDebug === true ? { PORTOLAN_LOG_LEVEL: 'debug' } : {}),
      },
    });
    this.#exited = waitForExit(this.#child);
    // The `error` event also reports signals and messages that cannot be sent because the process has ended.
    this.#child.on('error', (error) => (this.#error ??= error));
    this.#child.on('message', (message) => this.#take(message));
    this.#ready.promise.catch(() => undefined); // callers that need the result await `ready`
  }

  /** Whether the process waits for its order. Until then it has created nothing. */
  get isIdle(): boolean {
    return this.#isIdle;
  }

  /**
   * Sends the order over a private channel. Throws ERR_START_FAILED, ERR_SUPERVISOR_ENDED and the reason of
   * the signal; the process has ended then.
   */
  async launch(order: SupervisorOrder, options: LaunchOptions): Promise<LaunchedSupervisor> {
    const { logFile, onReport, signal } = options;
    try {
      signal.throwIfAborted();
      if (this.#child.pid === undefined) throw supervisorUnstartable(order.name, await this.#startError());
      await createLog(order.name, logFile);
    } catch (error) {
      await this.end();
      throw error;
    }
    this.#isIdle = false;
    this.#onReport = onReport;
    const onAbort = (): void => void this.#stop();
    this.#stopListening = () => signal.removeEventListener('abort', onAbort);
    void this.#exited.then((exit) => this.#ended(exit, order.name, options));
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    const sent = Promise.withResolvers<void>();
    // Sending fails only when the process has ended, which also rejects `ready`.
    this.#child.send(order, () => sent.resolve());
    await Promise.race([sent.promise, this.#ready.promise]);
    const { pid = 0 } = this.#child;
    const identity = (await findProcess(pid)) ?? { pid, started: '' };
    return { process: identity, ready: this.#ready.promise, release: () => this.#release() };
  }

  /** Ends the process if it is idle. Resolves when it has ended. */
  async end(): Promise<void> {
    if (!this.#isIdle) return;
    if (this.#child.kill('SIGKILL')) await this.#exited;
    this.#output.close();
  }

  /**
   * Returns why the process could not be started. Node.js reports such an error only after `spawn` has
   * returned.
   */
  async #startError(): Promise<Error | undefined> {
    if (this.#error === undefined) await once(this.#child, 'error');
    return this.#error;
  }

  #release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#stopListening();
    this.#child.removeAllListeners('message');
    if (this.#child.connected) this.#child.disconnect();
    this.#child.unref();
    this.#output.close();
  }

  #take(message: unknown): void {
    // SAFETY: only the supervisor, which this class started, sends on the channel, and only reports.
    const report = message as SupervisorReport;
    this.#onReport(report);
    if (report.report === 'failed') {
      const { message: text, hint } = report;
      this.#failed = new ForwardedError(report, text, hint === undefined ? {} : { hint });
    } else if (report.report === 'ready') {
      const { url, instance, status } = report;
      this.#ready.resolve({ url, instance, status });
      this.#release();
    }
  }

  #ended(exit: Exit, name: string, { logFile, signal }: LaunchOptions): void {
    this.#stopListening();
    const lines = (): readonly string[] => lastLinesOf(this.#output.read() || readLog(logFile));
    const error = signal.aborted ? signal.reason : (this.#failed ?? supervisorEnded(name, exit.how, lines()));
    this.#output.close();
    if (!exit.isKilled || this.#isReleased) this.#ready.reject(error);
    else setTimeout(() => this.#ready.reject(error), ENGINE_MS);
  }

  /** Stops the supervisor as `portolan stop` does. */
  async #stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    await this.#exited;
    clearTimeout(timer);
  }
}

interface Exit {
  readonly how: string;
  readonly isKilled: boolean;
}

function waitForExit(child: ChildProcess): Promise<Exit> {
  const { promise, resolve } = Promise.withResolvers<Exit>();
  child.once('exit', (code, signalName) => {
    const how = signalName === null ? `with status ${code}` : `by ${signalName}`;
    resolve({ how, isKilled: signalName !== null });
  });
  return promise;
}

/** Creates the log file and its folder. Throws ERR_START_FAILED. */
async function createLog(name: string, logFile: string): Promise<void> {
  try {
    await makeFolders(path.dirname(logFile), 0o700);
    await (await open(logFile, 'a', 0o600)).close();
  } catch (error) {
    throw supervisorUnstartable(name, error);
  }
}

const LAST_LINES = 5;
const MAX_LINE_LENGTH = 1000;

function lastLinesOf(text: string): readonly string[] {
  const lines = text.trimEnd().split('\n').slice(-LAST_LINES);
  return lines.filter((line) => line !== '').map((line) => line.slice(0, MAX_LINE_LENGTH));
}

/**
 * Reads synchronously, because the caller deletes the log once `ready` rejects. The log of a new supervisor
 * is short.
 */
function readLog(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return ''; // `portolan rm` has removed it
  }
}
