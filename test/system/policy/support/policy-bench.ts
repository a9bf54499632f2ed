import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { EVERYTHING } from '../../../../packages/proxy/test/support/everything.ts';
import { type Finished, runPortolan } from '../../../support/command-line.ts';
import { foldersBelow, endWorkloads } from '../../../support/user-folders.ts';

const IMAGE = 'acme/everything:1';
const HOST = path.resolve(import.meta.dirname, '../../../support/process-host/index.ts');

/** Ways in which a workload reaches its server. */
export const WAYS = ['stdio', 'http', 'remote'] as const;
export type Way = (typeof WAYS)[number];

/** A user whose workloads are plain processes of the real server with every feature. */
export class PolicyBench {
  readonly root: string;
  readonly #environment: Readonly<Record<string, string>>;

  private constructor(root: string, environment: Readonly<Record<string, string>>) {
    this.root = root;
    this.#environment = environment;
  }

  static async open(variables: Readonly<Record<string, string>> = {}): Promise<PolicyBench> {
    const root = await mkdtemp(path.join(tmpdir(), 'portolan-policy-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const programs = { [IMAGE]: [process.execPath, EVERYTHING] };
    const file = path.join(root, 'portolan.json');
    const runtimes = { processes: { folder: path.join(root, 'servers'), programs } };
    await writeFile(file, JSON.stringify({ plugins: [HOST], runtimes }));
    const environment = { ...foldersBelow(root), PORTOLAN_CONFIG: file, PORTOLAN_RUNTIME: 'processes' };
    return new PolicyBench(root, { ...environment, ...variables });
  }

  async portolan(...args: readonly string[]): Promise<Finished> {
    return await runPortolan(args, { cwd: this.root, env: this.#environment });
  }

  async storeSecret(name: string, value: string): Promise<void> {
    const options = { cwd: this.root, env: this.#environment, stdin: value };
    const { status, stderr } = await runPortolan(['secret', 'set', name], options);
    expect(status, stderr).to.equal(0);
  }

  /** Writes a file into the user's folder and returns its path. */
  async write(name: string, content: string): Promise<string> {
    const file = path.join(this.root, name);
    await writeFile(file, content);
    return file;
  }

  /** Runs a workload that reaches its server in one of the ways, with further flags. */
  async run(way: Way, name: string, ...flags: readonly string[]): Promise<Finished> {
    if (way === 'remote') {
      const plain = await this.run('http', `${name}-server`);
      return await this.portolan('run', `--name=${name}`, ...flags, String(await urlOf(plain)));
    }
    const [transport, mode] = way === 'stdio' ? ['stdio', 'stdio'] : ['streamable-http', 'streamableHttp'];
    const server = [`--name=${name}`, '--isolate-network=false', `--transport=${transport}`];
    return await this.portolan('run', ...server, ...flags, IMAGE, '--', mode);
  }

  async close(): Promise<void> {
    await endWorkloads(this.root, this.#environment);
    await rm(this.root, { recursive: true, force: true });
  }
}

/** Returns the URL of a started workload. */
export async function urlOf(started: Finished): Promise<URL> {
  expect(started.status, started.stderr).to.equal(0);
  return new URL(started.stdout.trim());
}
