import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { freePort } from './free-port.ts';

const PLACES = ['/usr/bin/redis-server', '/usr/local/bin/redis-server'];

/** Returns the path of the Redis program, or undefined if it is not installed. */
export async function findRedis(): Promise<string | undefined> {
  for (const place of PLACES) {
    const isThere = await access(place, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return place;
  }
  return undefined;
}

/** A Redis on loopback without persistence. The caller has to stop it. */
export class RedisServer {
  readonly port: number;
  readonly #program: string;
  readonly #options: readonly string[];
  readonly #folder: string;
  #child: ChildProcess | undefined;

  private constructor(program: string, port: number, options: readonly string[], folder: string) {
    this.#program = program;
    this.port = port;
    this.#options = options;
    this.#folder = folder;
  }

  /** Starts a Redis with these options on its command line, such as `--requirepass`. */
  static async start(program: string, options: readonly string[] = []): Promise<RedisServer> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'portolan-redis-'));
    for (let tries = 0; tries < 5; tries += 1) {
      const server = new RedisServer(program, await freePort(), options, folder);
      if (await server.#launch()) return server;
    }
    await rm(folder, { recursive: true });
    throw new Error('redis-server does not start');
  }

  get address(): URL {
    return new URL(`redis://127.0.0.1:${this.port}`);
  }

  /** Starts an empty Redis on the same port after `kill`. */
  async restart(): Promise<void> {
    for (let tries = 0; tries < 5; tries += 1) if (await this.#launch()) return;
    throw new Error(`redis-server does not start on port ${this.port} again`);
  }

  /** Kills the process, as a power failure would. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Pauses the process: connections stay open without a response until `thaw`. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }

  /**
   * Returns whether this child itself listens. It says so in its log, while a connection to the port
   * could reach a Redis of another test that took the port first.
   */
  async #launch(): Promise<boolean> {
    const settings = ['--bind', '127.0.0.1', '--port', String(this.port), '--save', '', '--appendonly', 'no'];
    const child = spawn(this.#program, [...settings, '--dir', this.#folder, ...this.#options], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    this.#child = child;
    if (await isReady(child.stdout)) return true;
    await this.kill();
    return false;
  }
}

/** Reads the log of a Redis until the line that says it accepts connections. Returns false if the log ends before. */
async function isReady(log: Readable): Promise<boolean> {
  return await new Promise((resolve) => {
    const lines = createInterface({ input: log });
    lines.on('line', (line) => {
      if (line.includes('Ready to accept connections')) resolve(true);
    });
    lines.once('close', () => resolve(false));
  });
}
