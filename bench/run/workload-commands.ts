import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';

const run = promisify(execFile);
const BIN = path.join(import.meta.dirname, '../../packages/cli/bin/portolan.js');

/** The command with folders of its own, so that nothing of the user's is touched. */
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

  /** Runs `portolan run`; the URL that it prints. Throws with what it said when it fails. */
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

  /** Process id of a workload's supervisor, and when the process started, in milliseconds since the epoch. */
  async supervisorOf(name: string): Promise<number> {
    const file = path.join(this.#folder, 'data/portolan/statuses', `${name}.json`);
    // SAFETY: our own file; a wrong one makes the measurement fail.
    const { process_id: pid } = JSON.parse(await readFile(file, 'utf8')) as { process_id: number };
    return pid;
  }
}
