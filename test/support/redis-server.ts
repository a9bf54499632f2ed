import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, constants, mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from './free-port.ts';

const PLACES = ['/usr/bin/redis-server', '/usr/local/bin/redis-server'];

/** The program, where this machine has it. */
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

/** A Redis on loopback that keeps nothing on disk. Whoever starts one stops it. */
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

  /** `options` stand on its command line, such as `--requirepass`. */
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

  /** It is there again after `kill`, and has forgotten everything. */
  async restart(): Promise<void> {
    for (let tries = 0; tries < 5; tries += 1) if (await this.#launch()) return;
    throw new Error(`redis-server does not start on port ${this.port} again`);
  }

  /** Ends it as a power cut would. */
  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  /** Connections stay, and nothing is answered until `thaw`. */
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

  async #launch(): Promise<boolean> {
    const settings = ['--bind', '127.0.0.1', '--port', String(this.port), '--save', '', '--appendonly', 'no'];
    const child = spawn(this.#program, [...settings, '--dir', this.#folder, ...this.#options], {
      stdio: 'ignore',
    });
    this.#child = child;
    const ended = once(child, 'exit').then(() => false);
    if (await Promise.race([ended, this.#answers()])) return true;
    await this.kill();
    return false;
  }

  /** Whether something listens there, asked until it does, for ten seconds. */
  async #answers(): Promise<boolean> {
    for (let tries = 0; tries < 400; tries += 1) {
      const socket = connect(this.port, '127.0.0.1');
      const isThere = await Promise.race([
        once(socket, 'connect').then(() => true),
        once(socket, 'error').then(() => false),
      ]).catch(() => false);
      socket.destroy();
      if (isThere) return true;
      await delay(25);
    }
    return false;
  }
}
