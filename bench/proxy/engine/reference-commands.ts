import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { freeAddress } from '../../registry/start-process.ts';

const run = promisify(execFile);

/** Commands of a prebuilt ToolHive binary with separate folders. */
export class ReferenceCommands {
  readonly #program: string;
  readonly #environment: NodeJS.ProcessEnv;

  constructor(program: string, folder: string) {
    this.#program = program;
    const home = path.join(folder, 'reference');
    this.#environment = {
      ...process.env,
      HOME: home,
      XDG_CONFIG_HOME: path.join(home, 'config'),
      XDG_STATE_HOME: path.join(home, 'state'),
      XDG_DATA_HOME: path.join(home, 'data'),
      XDG_CACHE_HOME: path.join(home, 'cache'),
    };
  }

  /** Starts a stdio server without isolation. The command returns before the server responds. */
  async run(name: string, image: string, command: readonly string[]): Promise<URL> {
    const { port } = await freeAddress();
    const ways = ['--transport', 'stdio', '--proxy-mode', 'streamable-http', '--proxy-port', port];
    const checks = ['--isolate-network=false', '--image-verification', 'disabled'];
    await this.#run('run', '--name', name, ...ways, ...checks, image, '--', ...command);
    return new URL(`http://127.0.0.1:${port}/mcp`);
  }

  async remove(name: string): Promise<void> {
    await this.#run('rm', name);
  }

  /** Returns the process id of a workload's proxy. */
  async proxyOf(name: string): Promise<number> {
    const { stdout } = await run('pgrep', ['-f', `^${this.#program} start ${name} `]);
    return Number(stdout.trim());
  }

  async #run(...args: readonly string[]): Promise<void> {
    await run(this.#program, args, { env: this.#environment });
  }
}
