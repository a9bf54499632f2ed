import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import type { PortolanError } from '@portolan/plugin-api';
import { ForwardedError } from '../forwarded-error.ts';
import { makeFolders } from '../state/make-folders.ts';
import { findProcess, type ProcessIdentity } from '../state/process-identity.ts';
import { supervisorEnvironment } from './supervisor-environment.ts';
import { supervisorEnded, supervisorUnstartable } from './supervise-errors.ts';
import type { ReadyWorkload, ReportListener, SupervisorOrder, SupervisorReport } from './supervisor-order.ts';

export interface LaunchOptions {
  /** Program and arguments. */
  readonly program: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Where the supervisor writes to; made when it is not there. */
  readonly logFile: string;
  readonly onReport: ReportListener;
  /** Ends the supervisor, and waits until it has taken back what it did, as long as it is not ready. */
  readonly signal: AbortSignal;
}

/** A supervisor that has taken its order. */
export interface LaunchedSupervisor {
  readonly process: ProcessIdentity;
  /**
   * Settles when the workload answers. Rejects with what the supervisor reports,
   * with ERR_SUPERVISOR_ENDED, or with the reason of the signal; then the
   * supervisor's process is gone.
   */
  readonly ready: Promise<ReadyWorkload>;
  /** Lets it go on by itself: neither its reports nor the signal count any more. */
  release(): void;
}

/** Most time for a supervisor to take back what it did; then it is killed. */
const END_MS = 45_000;

/**
 * One that was killed takes nothing back, and the engine finishes what it was
 * asked for. Whoever removes what is left has to look for it after that.
 */
const ENGINE_MS = 1000;

/**
 * Starts a supervisor as a process in a session of its own, which outlives this
 * one, and hands it its order over a channel that nobody else can read. Throws
 * ERR_START_FAILED, ERR_SUPERVISOR_ENDED and the reason of the signal, and
 * then no process is left.
 */
export async function launchSupervisor(
  order: SupervisorOrder,
  options: LaunchOptions,
): Promise<LaunchedSupervisor> {
  options.signal.throwIfAborted();
  const child = await processFor(order.name, options);
  const watched = new WatchedChild(child, order.name, options);
  await watched.hand(order);
  const { pid = 0 } = child; // there is one, since it was spawned
  const identity = (await findProcess(pid)) ?? { pid, started: '' };
  return { process: identity, ready: watched.ready, release: () => watched.release() };
}

async function processFor(
  name: string,
  { program, environment, logFile }: LaunchOptions,
): Promise<ChildProcess> {
  try {
    await makeFolders(path.dirname(logFile), 0o700);
    return await spawnSupervisor(program, environment, logFile);
  } catch (error) {
    throw supervisorUnstartable(name, error);
  }
}

/** Starts the process with a channel to this one. Its output is appended to the log file. */
async function spawnSupervisor(
  [file = '', ...args]: readonly string[],
  environment: LaunchOptions['environment'],
  logFile: string,
): Promise<ChildProcess> {
  const log = await open(logFile, 'a', 0o600);
  try {
    const child = spawn(file, args, {
      detached: true,
      stdio: ['ignore', log.fd, log.fd, 'ipc'],
      env: { ...supervisorEnvironment(environment) },
    });
    await once(child, 'spawn');
    return child;
  } finally {
    await log.close();
  }
}

class WatchedChild {
  readonly ready: Promise<ReadyWorkload>;
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #options: LaunchOptions;
  readonly #settled = Promise.withResolvers<ReadyWorkload>();
  readonly #exited: Promise<void>;
  readonly #onAbort = (): void => void this.#abort();
  #isReleased = false;
  #failed: PortolanError | undefined;

  constructor(child: ChildProcess, name: string, options: LaunchOptions) {
    this.#child = child;
    this.#name = name;
    this.#options = options;
    this.ready = this.#settled.promise;
    this.ready.catch(() => undefined); // whoever waits is told
    const exited = Promise.withResolvers<void>();
    this.#exited = exited.promise;
    child.once('exit', (code, signalName) => {
      this.#ended(code, signalName);
      exited.resolve();
    });
    // The process may end before the log file is closed.
    if (child.exitCode !== null || child.signalCode !== null) {
      this.#ended(child.exitCode, child.signalCode);
      exited.resolve();
    }
    child.on('message', (message) => this.#take(message));
    // A signal that cannot be sent: the process has ended.
    child.on('error', () => undefined);
    // It may have come while the process was started.
    if (options.signal.aborted) this.#onAbort();
    else options.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  /** Settles when the supervisor has the order. */
  async hand(order: SupervisorOrder): Promise<void> {
    const sent = Promise.withResolvers<void>();
    // An error here is an end of the process, which `ready` knows of.
    this.#child.send(order, () => sent.resolve());
    await Promise.race([sent.promise, this.ready]);
  }

  release(): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    this.#options.signal.removeEventListener('abort', this.#onAbort);
    this.#child.removeAllListeners('message');
    if (this.#child.connected) this.#child.disconnect();
    this.#child.unref();
  }

  #take(message: unknown): void {
    // The channel leads to the program that was started here, which sends nothing else.
    const report = message as SupervisorReport;
    this.#options.onReport(report);
    if (report.report === 'failed') {
      const { message: text, hint } = report;
      this.#failed = new ForwardedError(report, text, hint === undefined ? {} : { hint });
    } else if (report.report === 'ready') {
      const { url, instance, status } = report;
      this.#settled.resolve({ url, instance, status });
      this.release();
    }
  }

  #ended(code: number | null, signalName: string | null): void {
    const { signal, logFile } = this.#options;
    signal.removeEventListener('abort', this.#onAbort);
    const how = signalName === null ? `with status ${code}` : `by ${signalName}`;
    const error = signal.aborted
      ? signal.reason
      : (this.#failed ?? supervisorEnded(this.#name, how, lastLinesOf(logFile)));
    if (signalName === null || this.#isReleased) this.#settled.reject(error);
    else setTimeout(() => this.#settled.reject(error), ENGINE_MS);
  }

  /** It stops as for any other stop; `ended` then tells. */
  async #abort(): Promise<void> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), END_MS);
    await this.#exited;
    clearTimeout(timer);
  }
}

const LAST_LINES = 5;
const MAX_LINE_LENGTH = 1000;

/** Read at once: whoever hears of the end removes the file. A new supervisor has not written much. */
function lastLinesOf(file: string): readonly string[] {
  try {
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n').slice(-LAST_LINES);
    return lines.filter((line) => line !== '').map((line) => line.slice(0, MAX_LINE_LENGTH));
  } catch {
    return []; // Removed already, as by `rm`: then nobody asks why.
  }
}
