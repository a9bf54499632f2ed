import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { run } from '../../scripts/run.ts';
import type { WorldPackage } from './packages.ts';

/** How a package is started on this machine, without a container. */
export interface HostCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Oldest minor version of Python 3 that is preferred over the one of the operating system. */
const MIN_PYTHON_MINOR = 12;

/** Programs of this machine that start packages without a container. `close` removes what they downloaded. */
export class HostPrograms {
  readonly #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** Creates the folder for downloads, and the home folder of packages, below `root`. */
  static async open(root: string): Promise<HostPrograms> {
    const folder = path.join(root, 'host');
    // Programs of .NET end where their home folder does not exist.
    await mkdir(path.join(folder, 'home'), { recursive: true });
    return new HostPrograms(folder);
  }

  /** Installs uv from PyPI. Throws when the package index is unreachable. */
  async installUv(): Promise<void> {
    if (existsSync(this.uv)) return;
    const venv = path.join(this.#folder, 'uv');
    await run(findPython(), ['-m', 'venv', venv]);
    await run(path.join(venv, 'bin/pip'), ['install', '--quiet', 'uv']);
  }

  /** Returns the command that starts a package, with a home folder of its own. */
  commandFor(
    one: Pick<WorldPackage, 'target' | 'program' | 'env' | 'requirement' | 'python'>,
    args: readonly string[],
  ): HostCommand {
    const home = path.join(this.#folder, 'home');
    const environment = {
      PATH: process.env['PATH'] ?? '',
      ...certificateVariables(),
      HOME: home,
      npm_config_cache: path.join(this.#folder, 'npm'),
      UV_CACHE_DIR: path.join(this.#folder, 'uv-cache'),
      GOPATH: path.join(this.#folder, 'go'),
      GOFLAGS: '-modcacherw',
      ...one.env,
    };
    const name = one.target.replace(/^\w+:\/\//, '');
    if (one.target.startsWith('go:')) {
      return { command: 'go', args: ['run', `${name}@latest`, ...args], environment };
    }
    if (one.target.startsWith('npx:')) {
      const words =
        one.program === undefined ? ['-y', `${name}@latest`] : ['-y', '-p', `${name}@latest`, one.program];
      return { command: 'npx', args: [...words, ...args], environment };
    }
    const added = one.requirement === undefined ? [] : ['--with', one.requirement];
    const words = [
      'tool',
      'run',
      '--python',
      findPython(one.python),
      ...added,
      '--from',
      name,
      one.program ?? name,
    ];
    return { command: this.uv, args: [...words, ...args], environment };
  }

  /** Removes downloads, so that a long run does not fill the disk. Ends the processes that started from them. */
  async removeDownloads(): Promise<void> {
    this.#endProcesses();
    for (const name of ['home', 'npm', 'uv-cache', 'go']) {
      await rm(path.join(this.#folder, name), {
        recursive: true,
        force: true,
        maxRetries: 10,
        retryDelay: 200,
      });
      await mkdir(path.join(this.#folder, name));
    }
  }

  /**
   * Ends servers that outlive their `npx`, and `npx` itself: they would keep the pipes of this process open, and
   * write to the folders. Linux only.
   */
  #endProcesses(): void {
    for (const file of globSync('/proc/[0-9]*/environ')) {
      try {
        const isOwn = readFileSync(file, 'utf8').includes(`HOME=${this.#folder}/`);
        if (isOwn) process.kill(Number(file.split('/')[2]), 'SIGKILL');
      } catch {
        // The process has ended since.
      }
    }
  }

  /** Path of the program uv. */
  get uv(): string {
    return path.join(this.#folder, 'uv/bin/uv');
  }
}

/**
 * Returns the newest Python of this machine, or the one of a minor version: one of pyenv's, else the one of the
 * operating system.
 */
export function findPython(wanted?: number): string {
  const [newest] = globSync(path.join(homedir(), '.pyenv/versions/3.*/bin/python3'))
    .map((file) => ({ file, minor: Number(/\/3\.(\d+)/.exec(file)?.[1]) }))
    .filter(({ minor }) => (wanted === undefined ? minor >= MIN_PYTHON_MINOR : minor === wanted))
    .toSorted((one, other) => other.minor - one.minor);
  return newest?.file ?? '/usr/bin/python3';
}

/** Variables that name the certificates and package indexes of this machine. */
export function certificateVariables(): Readonly<Record<string, string>> {
  const isUseful = (name: string): boolean =>
    /^(?:SSL_CERT_|NODE_EXTRA_CA_CERTS$|PIP_|REQUESTS_CA_BUNDLE$|GIT_SSL_|GOPROXY$|GONOSUMDB$|https?_proxy$|no_proxy$)/i.test(
      name,
    );
  return Object.fromEntries(
    Object.entries(process.env).flatMap(([name, value]) =>
      value !== undefined && isUseful(name) ? [[name, value]] : [],
    ),
  );
}
