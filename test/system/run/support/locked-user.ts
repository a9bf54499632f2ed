import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { type Finished, runPortolan, RunningPortolan } from '../../../support/command-line.ts';
import { endWorkloads, foldersBelow } from '../../../support/user-folders.ts';

export interface TestTool {
  readonly name: string;
  readonly description?: string;
  readonly inputSchema: object;
  readonly annotations?: object;
}

/** Definitions that a test server sends. */
export interface TestDefinitions {
  readonly tools: readonly TestTool[];
  readonly instructions?: string;
  readonly version?: string;
  /** Whether the server never sends its tools. It then writes its process id into the file `hanging`. */
  readonly hangs?: boolean;
}

const IMAGE = 'registry.acme.example/tools';

/** A server on standard input and output that sends what a file says, as it is at the time of the request. */
const SERVER = `
import { appendFileSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
const [file, log] = process.argv.slice(2);
appendFileSync(log, process.pid + '\\n');
const answers = {
  initialize: ({ protocolVersion }, { instructions, version = '1' }) => ({
    protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'tools', version }, instructions,
  }),
  'tools/list': (_params, { tools }) => ({ tools }),
  ping: () => ({}),
};
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const definitions = JSON.parse(readFileSync(file, 'utf8'));
  if (definitions.hangs && method === 'tools/list') {
    appendFileSync(join(dirname(log), 'hanging'), process.pid + '\\n');
    return;
  }
  const answer = answers[method];
  const outcome = answer
    ? { result: answer(params, definitions) }
    : { error: { code: -32601, message: 'no' } };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, ...outcome }) + '\\n');
});
`;

/** A user of a host that runs servers as processes, whose definitions a test can change. */
export class LockedUser {
  readonly root: string;
  readonly environment: Readonly<Record<string, string>>;

  private constructor(root: string, environment: Readonly<Record<string, string>>) {
    this.root = root;
    this.environment = environment;
  }

  static async open(names: readonly string[]): Promise<LockedUser> {
    const root = await mkdtemp(path.join(tmpdir(), 'portolan-lock-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const script = path.join(root, 'server.mjs');
    await writeFile(script, SERVER);
    const host = path.resolve(import.meta.dirname, '../../../support/process-host/index.ts');
    const programs = Object.fromEntries(
      names.map((name) => [
        `${IMAGE}:${name}`,
        [process.execPath, script, path.join(root, `${name}.json`), path.join(root, 'pids')],
      ]),
    );
    const runtimes = { processes: { folder: path.join(root, 'servers'), programs } };
    const file = path.join(root, 'portolan.json');
    await writeFile(file, JSON.stringify({ plugins: [host], runtimes }));
    await writeFile(path.join(root, 'pids'), '');
    const environment = { ...foldersBelow(root), PORTOLAN_CONFIG: file, PORTOLAN_RUNTIME: 'processes' };
    return new LockedUser(root, environment);
  }

  async close(): Promise<void> {
    await endWorkloads(this.root, this.environment);
    await rm(this.root, { recursive: true, force: true });
  }

  /** Sets what the server of a workload sends from now on. */
  async define(name: string, definitions: TestDefinitions): Promise<void> {
    await writeFile(path.join(this.root, `${name}.json`), JSON.stringify(definitions));
  }

  async portolan(...args: readonly string[]): Promise<Finished> {
    return await runPortolan(args, { cwd: this.root, env: this.environment });
  }

  begin(...args: readonly string[]): RunningPortolan {
    return new RunningPortolan(args, { cwd: this.root, env: this.environment });
  }

  async done(...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await this.portolan(...args);
    expect(status, stderr).to.equal(0);
    return stdout;
  }

  async run(name: string, ...flags: readonly string[]): Promise<string> {
    return await this.done(
      'run',
      `--name=${name}`,
      '--transport=stdio',
      '--isolate-network=false',
      ...flags,
      `${IMAGE}:${name}`,
    );
  }
}
