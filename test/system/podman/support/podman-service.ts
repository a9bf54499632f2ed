import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { access, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { eventually } from '@portolan/plugin-testing';
import {
  engineConnection,
  pingEngine,
} from '../../../../plugins/runtime-docker/src/engine/engine-connection.ts';
import { skipSuite } from '../../../support/skip-suite.ts';

const run = promisify(execFile);
const DRIVERS = ['overlay', 'vfs'] as const;
/** Runtime of containers. The default, crun, fails on machines with both versions of control groups. */
const RUNC = '/usr/sbin/runc';

/**
 * A Podman of this suite only: images, containers, locks and socket are in one folder, which is removed with
 * it.
 */
export class PodmanService {
  readonly #folder: string;
  readonly #flags: readonly string[];
  #child: ChildProcess | undefined;

  private constructor(folder: string, flags: readonly string[]) {
    this.#folder = folder;
    this.#flags = flags;
  }

  get socket(): string {
    return path.join(this.#folder, 'podman.sock');
  }

  /** Starts Podman. Skips the suite of the hook, with the reason, without Podman or an image to copy. */
  static async start(hook: Mocha.Context, image: string): Promise<PodmanService> {
    if (process.getuid?.() !== 0) skipSuite(hook, 'only root can mount what containers run in');
    const found = await run('podman', ['--version']).catch(() => undefined);
    if (found === undefined) skipSuite(hook, 'no Podman; Debian has it as podman');
    const saved = await run('docker', ['image', 'inspect', image]).catch(() => undefined);
    if (saved === undefined) skipSuite(hook, `no image ${image}; scripts/container-env.sh up makes it`);
    const folder = await mkdtemp(path.join(tmpdir(), 'podman-'));
    const podman = new PodmanService(folder, await flagsThatWork(folder));
    try {
      await podman.#serve();
      return podman;
    } catch (error) {
      await podman.close();
      throw error;
    }
  }

  /** Returns the output of a Podman command. */
  async command(...words: readonly string[]): Promise<string> {
    const { stdout } = await run('podman', [...this.#flags, ...words], { env: environmentOf(this.#folder) });
    return stdout.trim();
  }

  /** Copies an image from the machine's Docker Engine under a fixed tag. */
  async take(image: string, tag: string): Promise<string> {
    const saving = spawn('docker', ['save', image], { stdio: ['ignore', 'pipe', 'inherit'] });
    const loading = spawn('podman', [...this.#flags, 'load', '--quiet'], {
      stdio: ['pipe', 'ignore', 'inherit'],
      env: environmentOf(this.#folder),
    });
    const ended = Promise.all([saving, loading].map((child) => once(child, 'exit')));
    await pipeline(saving.stdout, loading.stdin);
    await ended;
    const taken = `localhost/${image}:${tag}`;
    await this.command('tag', `localhost/${image}:latest`, taken);
    return taken;
  }

  /** Ends Podman and removes all of its data. Throws if a process or a file remains. */
  async close(): Promise<void> {
    const child = this.#child;
    if (child !== undefined && child.exitCode === null) {
      const exit = once(child, 'exit');
      child.kill('SIGTERM');
      await exit;
    }
    // These containers belong to a failed test.
    await this.command('rm', '--all', '--force', '--time=0').catch(() => undefined);
    await eventually(async () => {
      const left = await this.processes();
      if (left.length > 0) throw new Error(`still there: ${left.join(', ')}`);
    });
    await unmountBelow(this.#folder);
    await rm(this.#folder, { recursive: true });
  }

  /** Returns the command lines of processes that contain its folder. */
  async processes(): Promise<readonly string[]> {
    const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
    const lines = await Promise.all(
      ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')), // The process has just ended.
    );
    return lines.filter((line) => line.includes(this.#folder)).map((line) => line.replaceAll('\0', ' '));
  }

  async #serve(): Promise<void> {
    const words = [...this.#flags, 'system', 'service', '--time=0', `unix://${this.socket}`];
    const child = spawn('podman', words, {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: environmentOf(this.#folder),
    });
    this.#child = child;
    let said = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-2000);
    });
    const connection = engineConnection({ over: 'socket', path: this.socket });
    await eventually(
      async () => {
        if (child.exitCode !== null) throw new Error(`podman ended with ${child.exitCode}: ${said}`);
        await pingEngine(connection, AbortSignal.timeout(10_000));
      },
      { withinMs: 30_000 },
    );
  }
}

/**
 * Settings without a flag: with locks in shared memory, Podman would share them with every other one on the
 * machine.
 */
function environmentOf(folder: string): NodeJS.ProcessEnv {
  return {
    ...process.env,
    TMPDIR: path.join(folder, 'tmp'),
    CONTAINERS_CONF: path.join(folder, 'containers.conf'),
  };
}

/**
 * Returns flags of the first storage driver that works here. A file system without overlay support needs
 * copies.
 */
async function flagsThatWork(folder: string): Promise<readonly string[]> {
  await mkdir(path.join(folder, 'tmp'));
  await writeFile(path.join(folder, 'containers.conf'), '[engine]\nlock_type = "file"\n');
  const hasRunc = await access(RUNC).then(
    () => true,
    () => false,
  );
  let why: unknown;
  for (const driver of DRIVERS) {
    const flags = [
      `--root=${folder}/${driver}`,
      `--runroot=${folder}/run`,
      `--tmpdir=${folder}/libpod`,
      `--storage-driver=${driver}`,
      '--cgroup-manager=cgroupfs',
      '--events-backend=file',
      ...(hasRunc ? [`--runtime=${RUNC}`] : []),
    ];
    try {
      await run('podman', [...flags, 'info'], { env: environmentOf(folder) });
      return flags;
    } catch (error) {
      why = error;
    }
  }
  await rm(folder, { recursive: true });
  throw why;
}

/** Unmounts inner mounts first. */
async function unmountBelow(folder: string): Promise<void> {
  const mounts = (await readFile('/proc/self/mounts', 'utf8'))
    .split('\n')
    .map((line) => line.split(' ')[1] ?? '');
  for (const mount of mounts.filter((one) => one.startsWith(`${folder}/`)).toReversed())
    await run('umount', [mount]);
}
