import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { runPortolan } from '../../support/command-line.ts';
import { endWorkloads, foldersBelow } from '../../support/user-folders.ts';
import { TOOLS_SERVER } from '../run/support/tools-server.ts';

const run = promisify(execFile);
const COMMAND = path.resolve(import.meta.dirname, '../../../packages/cli/bin/portolan.js');
const HOST = pathToFileURL(path.resolve(import.meta.dirname, '../../support/process-host/index.ts')).href;

describe('portolan run › the supervisor process', function () {
  this.timeout(120_000);
  let root: string;
  let logs: string;
  let config: string;
  let starts: string;
  let env: Readonly<Record<string, string>>;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-one-'));
    logs = path.join(root, 'data/portolan/logs');
    starts = path.join(root, 'starts');
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    await writeFile(starts, '');
    const server = path.join(root, 'server.mjs');
    await writeFile(server, TOOLS_SERVER);
    // Plugin that records the program of every process that loads it.
    const plugin = path.join(root, 'plugin.mjs');
    const note = `appendFileSync(${JSON.stringify(starts)}, process.argv[1] + '\\n');`;
    await writeFile(
      plugin,
      `import { appendFileSync } from 'node:fs';\nexport { default } from '${HOST}';\n${note}\n`,
    );
    const programs = { 'registry.acme.example/notes:1': [process.execPath, server, 'list'] };
    const runtimes = { processes: { folder: path.join(root, 'servers'), programs } };
    config = path.join(root, 'portolan.json');
    await writeFile(config, JSON.stringify({ plugins: [plugin], runtimes }));
    env = { ...foldersBelow(root), PORTOLAN_RUNTIME: 'processes' };
  });
  afterEach(async () => {
    await endWorkloads(root, { ...env, PORTOLAN_CONFIG: config });
    await rm(root, { recursive: true, force: true });
  });

  const RUN = ['run', 'registry.acme.example/notes:1', '--name=notes', '--transport=stdio'];

  async function programsThatLoadedThePlugin(): Promise<readonly string[]> {
    return (await readFile(starts, 'utf8')).split('\n').map((file) => path.basename(file));
  }

  for (const by of ['variable', 'flag'] as const) {
    it(`starts once when a ${by} names the configuration, and logs to the file of its workload`, async () => {
      const flags = by === 'flag' ? ['--config', config] : [];
      const named = by === 'variable' ? { PORTOLAN_CONFIG: config } : {};
      const options = { cwd: root, env: { ...env, ...named } };
      const { status, stderr } = await runPortolan([...RUN, '--isolate-network=false', ...flags], options);
      expect(status, stderr).to.equal(0);
      const programs = await programsThatLoadedThePlugin();
      expect(programs.filter((name) => name === 'portolan-supervisor.js')).to.have.length(1);
      expect((await readdir(logs)).filter((name) => !name.startsWith('notes'))).to.deep.equal([]);
    });
  }

  it('does not start when the command line is wrong', async () => {
    const options = { cwd: root, env: { ...env, PORTOLAN_CONFIG: config } };
    const { status } = await runPortolan([...RUN, '--start-timeout=0s'], options);
    expect(status).not.to.equal(0);
    expect(await programsThatLoadedThePlugin()).not.to.include('portolan-supervisor.js');
  });

  it('has ended by the time at which the command reports a failed check', async () => {
    const options = { cwd: root, env: { ...env, PORTOLAN_CONFIG: config } };
    const { status, stderr } = await runPortolan([...RUN, '--group=no-such-group'], options);
    expect(status).not.to.equal(0);
    expect(stderr).to.contain('no-such-group');
    expect(await supervisorsOf(root)).to.deep.equal([]);
    expect(await readdir(logs).catch(() => [])).to.deep.equal([]);
  });

  it('ends when the command is killed before it sends the start order', async () => {
    // A named pipe without a writer: the command waits for its run config until it is killed.
    const file = path.join(root, 'config.json');
    await run('mkfifo', [file]);
    const environment = { ...process.env, ...env, PORTOLAN_CONFIG: config };
    const child = spawn(process.execPath, [COMMAND, 'run', `--from-config=${file}`], {
      cwd: root,
      env: environment,
      stdio: 'ignore',
    });
    await eventually(async () => expect(await supervisorsOf(root)).to.have.length(1), { withinMs: 60_000 });
    child.kill('SIGKILL');
    await once(child, 'exit');
    await eventually(async () => expect(await supervisorsOf(root)).to.deep.equal([]), { withinMs: 60_000 });
  });
});

/** Returns the process ids of supervisors whose folders are below `root`. */
async function supervisorsOf(root: string): Promise<readonly string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const found: string[] = [];
  for (const pid of pids) {
    try {
      const [line, variables] = await Promise.all([
        readFile(`/proc/${pid}/cmdline`, 'utf8'),
        readFile(`/proc/${pid}/environ`, 'utf8'),
      ]);
      if (line.includes('portolan-supervisor.js') && variables.includes(root)) found.push(pid);
    } catch {
      // The process ended after it was listed.
    }
  }
  return found;
}
