import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BIN = path.join(import.meta.dirname, '../../packages/cli/bin/portolan.js');

/** Portolan commands with separate folders, so that they do not touch the user's. */
export class WorkloadCommands {
  readonly #environment: NodeJS.ProcessEnv;
  readonly #folder: string;

  private constructor(folder: string, isBuilt: boolean) {
    this.#folder = folder;
    const inherited = Object.entries(process.env).filter(
      ([name]) => !/^(PORTOLAN_|NODE_OPTIONS|XDG_)/.test(name),
    );
    this.#environment = {
      ...Object.fromEntries(inherited),
      XDG_CONFIG_HOME: path.join(folder, 'config'),
      XDG_STATE_HOME: path.join(folder, 'state'),
      XDG_DATA_HOME: path.join(folder, 'data'),
      XDG_CACHE_HOME: path.join(folder, 'cache'),
      XDG_RUNTIME_DIR: path.join(folder, 'run'),
      ...(isBuilt ? { PORTOLAN_DIST: '1' } : {}),
    };
  }

  static async open(folder: string, isBuilt: boolean): Promise<WorkloadCommands> {
    await mkdir(path.join(folder, 'run'), { recursive: true, mode: 0o700 });
    return new WorkloadCommands(folder, isBuilt);
  }

  /** Runs `portolan run` and returns the printed URL. Throws with its output if it fails. */
  async run(args: readonly string[]): Promise<string> {
    const child = spawn(process.execPath, [BIN, 'run', ...args], {
      env: this.#environment,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const [output, errors] = [text(child.stdout), text(child.stderr)];
    const [status] = (await once(child, 'exit')) as [number | null];
    if (status !== 0) throw new Error(`portolan run ${args.join(' ')} ended with ${status}: ${await errors}`);
    return (await output).trim();
  }

  async remove(...names: readonly string[]): Promise<void> {
    await run(process.execPath, [BIN, 'rm', ...names], { env: this.#environment });
  }

  /** Returns the process id of a workload's supervisor. */
  async supervisorOf(name: string): Promise<number> {
    const file = path.join(this.#folder, 'data/portolan/statuses', `${name}.json`);
    // SAFETY: Portolan's own file; a wrong form fails the measurement.
    const { process_id: pid } = JSON.parse(await readFile(file, 'utf8')) as { process_id: number };
    return pid;
  }
}
