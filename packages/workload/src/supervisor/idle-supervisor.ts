import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { open, readdir, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import type { RunConfig } from '@portolan/run-spec';
import { makeFolders } from '../state/make-folders.ts';
import { findProcess } from '../state/process-identity.ts';
import { hasPolicies } from './has-policies.ts';
import { supervisorEnvironment } from './supervisor-environment.ts';
import type { CheckedPolicies, ExpectedPolicies } from './supervisor-order.ts';

/** A start takes no longer before it has its order, unless an image is pulled. */
const FORGOTTEN_MS = 10 * 60_000;

export interface IdleSupervisorOptions {
  /** Program and arguments. */
  readonly program: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folder of the logs; made when it is not there. */
  readonly logs: string;
}

/**
 * The process of a supervisor that has no order yet. It gets ready meanwhile,
 * writes to a log of its own, and ends with the process that started it.
 */
export class IdleSupervisor {
  readonly #child: ChildProcess;
  readonly #log: string;
  #isTaken = false;

  private constructor(child: ChildProcess, log: string) {
    this.#child = child;
    this.#log = log;
    // A signal that cannot be sent: the process has ended.
    child.on('error', () => undefined);
  }

  /** Starts the process, in a session of its own. Rejects when that cannot be done; then nothing is left. */
  static async start({ program, environment, logs }: IdleSupervisorOptions): Promise<IdleSupervisor> {
    await makeFolders(logs, 0o700);
    const log = path.join(logs, `.starting-${process.pid}-${randomUUID()}.log`);
    try {
      // It removes the log itself when nobody is left to do so.
      const starting = spawnSupervisor([...program, log], environment, log);
      // What cannot be removed lies there until the next time.
      const [child] = await Promise.all([starting, removeForgotten(logs).catch(() => undefined)]);
      return new IdleSupervisor(child, log);
    } catch (error) {
      await rm(log, { force: true });
      throw error;
    }
  }

  /**
   * Tells it what its workload will have in front of it, if anything, so that this is loaded before the order comes.
   * Gives what the kinds tell of that; undefined where it does not say that all of it can be used, for whatever reason.
   */
  async expect(policies: RunConfig): Promise<readonly string[] | undefined> {
    if (!hasPolicies(policies) || this.#isTaken || !this.#child.connected) return undefined;
    const { promise, resolve } = Promise.withResolvers<readonly string[] | undefined>();
    const take = (message: unknown): void => {
      // The channel leads to the program that was started here, which has nothing else to say before its order.
      resolve((message as CheckedPolicies).checked ?? undefined);
    };
    const left = (): void => resolve(undefined);
    this.#child.once('message', take).once('disconnect', left);
    const expected: ExpectedPolicies = { expected: policies };
    this.#child.send(expected, () => undefined); // whoever takes it sees that it has ended
    const told = await promise;
    this.#child.off('message', take).off('disconnect', left);
    return told;
  }

  /** The process for an order, its log under the name that it has for good; undefined when it is of no use any more. */
  async take(logFile: string): Promise<ChildProcess | undefined> {
    if (this.#isTaken || this.#child.exitCode !== null || this.#child.signalCode !== null) return undefined;
    try {
      await rename(this.#log, logFile);
    } catch {
      await this.end(); // somebody has cleared the folder
      return undefined;
    }
    this.#isTaken = true;
    return this.#child;
  }

  /** Ends the process and removes its log, unless it was taken. Never rejects for a process that has ended. */
  async end(): Promise<void> {
    if (this.#isTaken) return;
    this.#isTaken = true;
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      child.kill('SIGKILL'); // it has done nothing yet
      await exited;
    }
    await rm(this.#log, { force: true });
  }
}

/** Logs that a process had made when it was killed, and whose supervisor was not there yet to remove them. */
async function removeForgotten(logs: string): Promise<void> {
  for (const name of await readdir(logs)) {
    const starter = /^\.starting-(\d+)-[\da-f-]{36}\.log$/.exec(name)?.[1];
    if (starter === undefined || (await findProcess(Number(starter))) !== undefined) continue;
    const file = path.join(logs, name);
    // Processes of other containers that share the folder are not seen here.
    if (Date.now() - (await stat(file)).mtimeMs > FORGOTTEN_MS) await rm(file, { force: true });
  }
}

/** Starts the process of a supervisor with a channel to this one; what it writes goes to the end of a file. */
export async function spawnSupervisor(
  [file = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
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
