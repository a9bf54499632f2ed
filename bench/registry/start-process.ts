import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { HttpConnection, wireRequest } from './http-connection.ts';

export interface StartOptions {
  /** Executable that finds `node` in PATH; left out: Node.js itself. */
  readonly program?: string | undefined;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** File for its output, so that a full pipe cannot block it. */
  readonly logFile: string;
}

export interface RunningProcess {
  readonly pid: number;
  readonly url: URL;
  readonly logFile: string;
  /** Start time by `performance.now()`. */
  readonly startedAt: number;
  hasEnded(): boolean;
  /** Ends the process gracefully, by force after five seconds. Idempotent. */
  stop(): Promise<void>;
}

const STOP_MS = 5000;

/**
 * Returns the command with the lowest priority, so that programs that would run on other machines do not slow
 * the measured one.
 */
export function yielding(command: readonly [string, ...string[]]): readonly [string, ...string[]] {
  return ['nice', '-n', '19', ...command];
}

/** Starts a Node.js program without the PORTOLAN_* variables of this process. */
export function startNode(
  url: URL,
  { program = process.execPath, args, environment, logFile }: StartOptions,
): RunningProcess {
  const log = openSync(logFile, 'a');
  const inherited = Object.entries(process.env).filter(([name]) => !/^(PORTOLAN_|NODE_OPTIONS)/.test(name));
  const startedAt = performance.now();
  const PATH = [path.dirname(process.execPath), process.env['PATH']].join(path.delimiter);
  const child = spawn(program, args, {
    stdio: ['ignore', log, log],
    env: { ...Object.fromEntries(inherited), PATH, ...environment },
  });
  closeSync(log);
  if (child.pid === undefined) throw new Error(`${args.join(' ')} did not start`);
  return {
    pid: child.pid,
    url,
    logFile,
    startedAt,
    hasEnded: () => hasEnded(child),
    stop: () => stop(child),
  };
}

function hasEnded(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

async function stop(child: ChildProcess): Promise<void> {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const force = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  await exited;
  clearTimeout(force);
}

/** Returns a recently free address of 127.0.0.1. */
export async function freeAddress(): Promise<URL> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  // SAFETY: it listens on a TCP port.
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return new URL(`http://127.0.0.1:${port}`);
}

export interface WaitOptions {
  readonly deadlineMs?: number;
  readonly everyMs?: number;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Polls a path until `isDone` accepts the response. Throws at the deadline with the end of the program's log.
 */
export async function waitForResponse(
  server: RunningProcess,
  asked: string,
  isDone: (status: number, body: Buffer) => boolean,
  { deadlineMs = 30_000, everyMs = 20, headers = {} }: WaitOptions = {},
): Promise<void> {
  const { url, logFile } = server;
  const connection = new HttpConnection(url);
  const until = performance.now() + deadlineMs;
  let last = 'no answer';
  try {
    while (performance.now() < until && !server.hasEnded()) {
      try {
        const { status, body } = await connection.send(wireRequest(url, asked, headers));
        if (isDone(status, body)) return;
        last = `status ${status}: ${body.toString('utf8', 0, 200)}`;
      } catch (error) {
        last = String(error); // it may not listen yet; the deadline decides
      }
      await pause(everyMs);
    }
  } finally {
    connection.close();
  }
  throw new Error(`${asked} was not answered as expected (${last}); the log ends with:\n${tail(logFile)}`);
}

function tail(file: string): string {
  return readFileSync(file, 'utf8').split('\n').slice(-10).join('\n');
}
