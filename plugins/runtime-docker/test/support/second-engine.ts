import { execFile, spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { engineConnection, pingEngine } from '../../src/engine/engine-connection.ts';

const run = promisify(execFile);

export interface SecondEngineOptions {
  /** Whether containers live on when it ends. */
  readonly livesOn: boolean;
}

/**
 * A Docker Engine beside the machine's own, without networks, whose containers
 * live on while it restarts, unless it is told otherwise. Everything of it is in one folder. Needs root and
 * dockerd.
 */
export class SecondEngine {
  readonly path: string;
  readonly #folder: string;
  #child: ChildProcess | undefined;

  constructor(folder: string) {
    this.#folder = folder;
    this.path = join(folder, 'engine.sock');
  }

  async start({ livesOn }: SecondEngineOptions = { livesOn: true }): Promise<void> {
    const state = join(this.#folder, 'state');
    const temporary = join(this.#folder, 'tmp');
    for (const folder of [state, temporary]) await mkdir(folder, { recursive: true });
    const config = join(this.#folder, 'daemon.json');
    await writeFile(config, JSON.stringify({ 'live-restore': livesOn }));
    const options = {
      host: `unix://${this.path}`,
      'config-file': config,
      'data-root': join(state, 'data'),
      'exec-root': join(state, 'exec'),
      pidfile: join(this.#folder, 'pid'),
      bridge: 'none',
      iptables: 'false',
      ip6tables: 'false',
      'ip-forward': 'false',
      'log-level': 'error',
    };
    // In a network of its own: an engine without a bridge removes the bridge of the machine's engine.
    const child = spawn(
      'unshare',
      ['--net', 'dockerd', ...Object.entries(options).map(([name, value]) => `--${name}=${value}`)],
      // A containerd that is asked for its stacks, since it answers too slowly, writes them to this folder.
      { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, TMPDIR: temporary } },
    );
    this.#child = child;
    let message = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      message = (message + text).slice(-2000);
    });
    const connection = engineConnection({ over: 'socket', path: this.path });
    await eventually(
      async () => {
        if (child.exitCode !== null) throw new Error(`dockerd ended with ${child.exitCode}: ${message}`);
        await pingEngine(connection, AbortSignal.timeout(10_000));
      },
      { withinMs: 30_000 },
    );
  }

  /** Ends the engine; its containers go on. */
  async stop(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill(signal);
    await exit;
    // Its containerd ends with it; where nobody reaps that process, the next engine would wait for it.
    await rm(join(this.#folder, 'state/exec/containerd/containerd.pid'), { force: true });
  }

  /** The engine accepts connections and responds to nothing until `thaw`. */
  freeze(): void {
    this.#child?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child?.kill('SIGCONT');
  }

  /** Ends the engine with all that belongs to it, so that its folder can be removed. */
  async close(): Promise<void> {
    await this.stop('SIGTERM');
    await this.#endAll();
  }

  /** As when a machine loses its power: nothing runs any more, what was on disk is there at the next start. */
  async cutPower(): Promise<void> {
    await this.stop('SIGKILL');
    await this.#endAll();
    await rm(join(this.#folder, 'state/exec'), { recursive: true, force: true });
    await rm(join(this.#folder, 'pid'), { force: true });
  }

  /** As when the disk of the engine is replaced: the next start finds no container, image or network. */
  async loseData(): Promise<void> {
    await this.cutPower();
    await rm(join(this.#folder, 'state'), { recursive: true, force: true });
  }

  async #endAll(): Promise<void> {
    for (const pid of await this.#processes()) kill(pid);
    await eventually(async () => expect(await this.#processes()).to.deep.equal([]));
    const mounts = await readFile('/proc/mounts', 'utf8');
    const ours = mounts
      .split('\n')
      .flatMap((line) => line.split(' ')[1] ?? [])
      .filter((place) => place.startsWith(this.#folder));
    for (const place of ours.toReversed()) await run('umount', ['--lazy', place]);
  }

  /** What still runs of it, and what those have started. */
  async #processes(): Promise<readonly number[]> {
    const matches: number[] = [];
    for (const name of await readdir('/proc')) {
      if (!/^\d+$/.test(name)) continue;
      const line = await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '');
      if (!line.includes(this.#folder)) continue;
      const children = await readFile(`/proc/${name}/task/${name}/children`, 'utf8').catch(() => '');
      matches.push(...children.split(' ').filter(Boolean).map(Number), Number(name));
    }
    return matches;
  }
}

/** One that has ended with another that was killed is no error. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}
