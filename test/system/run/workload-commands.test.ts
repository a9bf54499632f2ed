import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { type Finished, RunningPortolan, runPortolan } from '../../support/command-line.ts';
import { NODE_IMAGE, useWorkloadBench } from '../supervise/support/workload-bench.ts';

/** A server that responds to a client's first messages. `then` follows. */
const serverThat = (then: string): string => `
console.error('the server is up');
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const result = method === 'initialize'
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } }
    : { tools: [] };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n', () => { ${then} });
})`;
const SILENT = 'setInterval(() => {}, 1000)';

describe('workload commands', function () {
  this.timeout(120_000); // The cases run real containers.

  const bench = useWorkloadBench();
  let names = 0;
  const nextName = (): string => {
    names += 1;
    return `cli-${bench.run}-${names}`;
  };
  const portolan = (...args: readonly string[]): Promise<Finished> =>
    runPortolan(args, { env: bench.environment });
  const runLine = (name: string, script: string, ...flags: readonly string[]): readonly string[] => [
    'run',
    NODE_IMAGE,
    `--name=${name}`,
    '--image-verification=disabled',
    '--permission-profile=none',
    '--start-timeout=30s',
    ...flags,
    '--',
    'node',
    '-e',
    script,
  ];

  afterEach(async () => {
    await portolan('rm', '--all');
    const statuses = path.join(bench.environment['XDG_DATA_HOME'] ?? '', 'portolan/statuses');
    const own = { 'portolan.dev/state-folder': statuses };
    expect(await bench.runtime.listContainers(own)).to.deep.equal([]);
    expect((await readdir(statuses).catch(() => [])).filter((file) => file.endsWith('.json'))).to.deep.equal(
      [],
    );
  });

  it('report a group without workloads, and no workloads at all', async () => {
    expect(await portolan('group', 'create', 'empty')).to.include({ status: 0 });
    for (const command of ['rm', 'stop', 'start']) {
      const ended = await portolan(command, '--group', 'empty');
      expect(ended, command).to.include({ status: 0, stderr: 'there are no workloads in the group empty\n' });
    }
    expect(await portolan('rm', '--all')).to.include({ status: 0, stderr: 'there are no workloads\n' });
  });

  it('print the address alone on standard output, and notes on standard error', async () => {
    const name = nextName();
    const run = await portolan(...runLine(name, serverThat('')));
    expect(run.status, run.stderr).to.equal(0);
    expect(run.stdout).to.match(/^http:\/\/127\.0\.0\.1:\d+\/mcp\n$/);
    const url = run.stdout.trim();
    const listed = await portolan('list', '--format', 'json');
    expect(JSON.parse(listed.stdout)).to.have.lengthOf(1);
    expect(JSON.parse(listed.stdout)[0]).to.include({
      name,
      status: 'running',
      url,
      transport: 'stdio',
      group: 'default',
    });
    const clients = await portolan('list', '--format', 'mcpservers');
    expect(JSON.parse(clients.stdout)).to.deep.equal({
      mcpServers: { [name]: { url, type: 'streamable-http' } },
    });
    const status = await portolan('status', name);
    expect(status.stdout)
      .to.match(/^Name: +cli-/m)
      .and.match(/^Status: +running$/m)
      .and.match(/^Uptime: +\d+s$/m);
    expect((await portolan('logs', name)).stdout).to.include('the server is up\n');
    expect((await portolan('logs', name, '--proxy')).stdout).to.include(
      `"url":"${url}","msg":"workload is ready"`,
    );
    const second = await portolan(...runLine(name, serverThat('')));
    expect(second).to.include({ status: 1, stdout: '' });
    expect(second.stderr).to.include(`workload with name '${name}' already exists`);
    const started = await portolan('stop', name).then(() => portolan('start', name));
    expect(started).to.include({ status: 0, stdout: `${url}\n` });
    await portolan('stop', name);
    const again = await portolan('stop', name);
    expect(again).to.include({ status: 0, stdout: '' });
    expect(again.stderr).to.include('one or more workloads are not running');
    expect(await portolan('rm', name)).to.include({ status: 0, stdout: '' });
    expect(await portolan('list', '--all', '--format', 'json')).to.include({ status: 0, stdout: '[]\n' });
  });

  it('print nothing but JSON with --format json', async () => {
    const name = nextName();
    const run = await portolan(...runLine(name, serverThat(''), '--format', 'json'));
    expect(JSON.parse(run.stdout)).to.have.all.keys('name', 'url', 'instance', 'status');
    const plan = await portolan(...runLine(name, serverThat(''), '--dry-run', '--format', 'json'));
    expect(JSON.parse(plan.stdout)).to.include({ name });
  });

  it('exit in the foreground with the status of the container', async () => {
    const script = serverThat("if (method === 'tools/list') process.exit(7);");
    const line = runLine(nextName(), script, '--foreground', '--stdio-sessions', 'shared');
    const running = new RunningPortolan(line, { env: bench.environment });
    const [url = ''] = await running.printed(/http:\/\/127\.0\.0\.1:\d+\/mcp/);
    // The order of its response and the end of the server does not matter here.
    await portolan('mcp', 'tools', url);
    const { status, stdout, stderr } = await running.finished;
    expect(status, stderr).to.equal(7);
    expect(stdout).to.match(/^http:\/\/127\.0\.0\.1:\d+\/mcp\n$/);
  });

  for (const [exit, status] of [
    [7, 7],
    [0, 1],
  ] as const) {
    it(`exit in the foreground with status ${status} when the container exits with ${exit} before it responds`, async () => {
      const script = `console.error('\\u001b[2Jno harbour'); process.exit(${exit})`;
      const run = await portolan(...runLine(nextName(), script, '--foreground'));
      expect(run).to.include({ status, stdout: '' });
      expect(run.stderr)
        .to.include(`ended before it responded: exit status ${exit}`)
        .and.match(/^ {2}no harbour$/m);
    });
  }

  it('exit with status 1 and print the last output of a server that does not start', async () => {
    const run = await portolan(
      ...runLine(nextName(), "console.error('no harbour in sight'); process.exit(3)"),
    );
    expect(run).to.include({ status: 1, stdout: '' });
    expect(run.stderr).to.include('no harbour in sight');
    expect((await portolan('list', '--all')).stdout).to.equal('No MCP servers found\n');
  });

  for (const [signal, status] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    it(`undo everything on ${signal} before the server responds, and exit with status ${status}`, async () => {
      const name = nextName();
      const running = new RunningPortolan(runLine(name, SILENT), { env: bench.environment });
      await eventually(async () => {
        const containers = await bench.runtime.listContainers({ 'portolan.dev/name': name });
        expect(containers.some(({ state }) => state.running)).to.equal(true);
      });
      running.kill(signal);
      const { status: ended, stdout, stderr } = await running.finished;
      expect({ ended, stdout }).to.deep.equal({ ended: status, stdout: '' });
      expect(stderr).to.match(/^interrupted$/m);
      expect(await bench.runtime.listContainers({ 'portolan.dev/name': name })).to.deep.equal([]);
      expect((await portolan('list', '--all')).stdout).to.equal('No MCP servers found\n');
    });
  }

  it('start nothing without an engine, and report it', async () => {
    const env = { ...bench.environment, DOCKER_HOST: 'unix:///nowhere/docker.sock' };
    const run = await runPortolan(runLine(nextName(), SILENT), { env });
    expect(run).to.include({ status: 1, stdout: '' });
    expect(run.stderr).to.match(/^error: .*docker\.sock/m);
    expect(await runPortolan(['list'], { env })).to.include({ status: 0, stdout: 'No MCP servers found\n' });
  });
});
