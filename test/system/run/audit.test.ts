import { mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { EVERYTHING } from '../../../packages/proxy/test/support/everything.ts';
import { McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import { foldersBelow, endWorkloads } from '../../support/user-folders.ts';

const IMAGE = 'acme/everything:1';
const SECRET = 'hunter2-hunter2';

describe('portolan run --enable-audit --audit-config', function () {
  this.timeout(120_000);
  let root: string;
  let environment: Readonly<Record<string, string>>;

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-audit-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = { [IMAGE]: [process.execPath, EVERYTHING] };
    const config = {
      plugins: [host],
      runtimes: { processes: { folder: path.join(root, 'servers'), programs } },
    };
    const file = path.join(root, 'portolan.json');
    await writeFile(file, JSON.stringify(config));
    environment = { ...foldersBelow(root), PORTOLAN_CONFIG: file, PORTOLAN_RUNTIME: 'processes' };
  });
  afterEach(async () => {
    await endWorkloads(root, environment);
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });

  const audit = async (settings: object): Promise<string> => {
    await writeFile(path.join(root, 'audit.json'), JSON.stringify(settings));
    return 'audit.json';
  };

  async function run(name: string, transport: string, ...flags: readonly string[]): Promise<Finished> {
    const server = transport === 'stdio' ? 'stdio' : 'streamableHttp';
    const started = await portolan(
      'run',
      '--isolate-network=false',
      `--name=${name}`,
      `--transport=${transport}`,
      ...flags,
      IMAGE,
      '--',
      server,
    );
    expect(started.status, started.stderr).to.equal(0);
    return started;
  }

  // oxlint-disable-next-line typescript/no-explicit-any -- the test looks into every part of a line
  async function linesIn(file: string): Promise<any[]> {
    const lines = (await readFile(file, 'utf8')).split('\n').filter((line) => line.includes('audit_event'));
    return lines.map((line) => JSON.parse(line));
  }

  async function callAndRefuse({ stdout }: Finished): Promise<void> {
    const client = await McpClient.connect(new URL(stdout.trim()));
    const call = (name: string, id: number) => ({
      id,
      method: 'tools/call',
      params: { name, arguments: { message: 'ahoy', password: SECRET } },
    });
    const headers = { Authorization: `Bearer ${SECRET}`, 'User-Agent': 'tester/1' };
    await client.post(call('echo', 1), { headers });
    await client.post(call('nobody-has-this', 2), { headers });
    await client.post(call('echo', 3), { headers: { ...headers, Origin: 'https://evil.example' } });
    await client.end();
  }

  /** Expects the lines of the three requests above. */
  async function expectLines(file: string, component: string): Promise<void> {
    await eventually(async () => {
      const lines = await linesIn(file);
      const of = (type: string) => lines.filter((line) => line.type === type);
      const [ahoy, unknown] = of('mcp_tool_call');
      expect(ahoy).to.include({ outcome: 'success', component });
      expect(ahoy.target).to.include({ method: 'tools/call', type: 'tool', name: 'echo' });
      expect(ahoy.subjects).to.include({ client_name: 'test', client_version: '1' });
      expect(ahoy.source.extra.user_agent).to.equal('tester/1');
      expect(unknown.target.name).to.equal('nobody-has-this');
      const refused = of('http_request').find(({ outcome }) => outcome === 'denied');
      expect(refused.metadata.extra).to.include({ status: 403, refused_with: 'ERR_ORIGIN_NOT_ALLOWED' });
      expect(of('mcp_initialize').length).to.be.greaterThan(0);
    });
    expect(await readFile(file, 'utf8')).not.to.include(SECRET);
  }

  it('--enable-audit writes to the log of the workload, for every transport of the server', async () => {
    const stdio = await run('near', 'stdio', '--enable-audit');
    await callAndRefuse(stdio);
    const { stdout: status } = await portolan('status', 'near');
    expect(status).to.include('that calls are recorded');
    const logs = await portolan('logs', '--proxy', 'near');
    expect(logs.stdout).to.include('audit_event').and.not.to.include(SECRET);
  });

  it('--audit-config names a separate file, for stdio, HTTP and remote servers, and is part of the export', async () => {
    const http = await run('http', 'streamable-http');
    const settings = { includeRequestData: true, excludeEventTypes: ['mcp_ping'] };
    const servers = [
      {
        name: 'stdio',
        start: (flag: string) => run('stdio', 'stdio', '--audit-config', flag, '--enable-audit'),
      },
      { name: 'near', start: (flag: string) => run('near', 'streamable-http', '--audit-config', flag) },
      {
        name: 'far',
        start: async (flag: string) => {
          const remote = await portolan('run', '--name=far', '--audit-config', flag, http.stdout.trim());
          expect(remote.status, remote.stderr).to.equal(0);
          return remote;
        },
      },
    ];
    for (const { name, start } of servers) {
      const file = path.join(root, `${name}.jsonl`);
      const started = await start(await audit({ ...settings, logFile: `${name}.jsonl` }));
      await callAndRefuse(started);
      await expectLines(file, name);
      expect((await stat(file)).mode & 0o777).to.equal(0o600);
      const data = (await linesIn(file)).find(({ type }) => type === 'mcp_tool_call').data.request;
      expect(data.params.arguments).to.deep.equal({ message: 'ahoy', password: '[secret]' });
      const exported = path.join(root, 'exported.json');
      await portolan('export', name, exported);
      const config = JSON.parse(await readFile(exported, 'utf8'));
      expect(config.audit_config).to.deep.equal({ ...settings, logFile: file });
      expect(config.audit_config_path).to.equal(path.join(root, 'audit.json'));
    }
  });

  it('a full disk shows in status; with failClosed no request reaches the server', async () => {
    const started = await run('full', 'stdio', '--audit-config', await audit({ logFile: '/dev/full' }));
    const client = await McpClient.connect(new URL(started.stdout.trim()));
    expect((await client.post({ id: 1, method: 'tools/list' })).status).to.equal(200);
    await eventually(async () =>
      expect((await portolan('status', 'full')).stdout).to.include('audit: the record of calls (/dev/full)'),
    );
    await client.end();
    await audit({
      logFile: '/dev/full',
      failClosed: true,
      excludeEventTypes: ['mcp_initialize', 'mcp_request'],
    });
    const closed = await run('closed', 'stdio', '--audit-config', 'audit.json');
    const stopped = await McpClient.connect(new URL(closed.stdout.trim()));
    const answer = await stopped.post({ id: 7, method: 'tools/list' });
    expect([answer.status, answer.json.id, answer.json.error.code]).to.deep.equal([503, 7, -32603]);
  });

  it('a denial is in the log with the ID that the client received', async () => {
    const policies = [`permit(principal, action == Action::"call_tool", resource == Tool::"get-sum");`];
    await writeFile(
      path.join(root, 'authz.json'),
      JSON.stringify({ version: '1.0', type: 'cedarv1', cedar: { policies, entities_json: '[]' } }),
    );
    const flags = [
      '--authz-config',
      'authz.json',
      '--audit-config',
      await audit({ logFile: 'denied.jsonl' }),
    ];
    const started = await run('denied', 'stdio', ...flags);
    const client = await McpClient.connect(new URL(started.stdout.trim()));
    const call = { id: 1, method: 'tools/call', params: { name: 'echo', arguments: { message: 'ahoy' } } };
    const { status, json } = await client.post(call);
    expect([status, json.error.code]).to.deep.equal([200, 403]);
    await eventually(async () => {
      const line = (await linesIn(path.join(root, 'denied.jsonl'))).find(
        ({ type }) => type === 'mcp_tool_call',
      );
      expect(line).to.include({ outcome: 'denied' });
      expect(line.metadata.extra).to.deep.include({
        refused_with: 'ERR_POLICY_REFUSED',
        refusal: { denialId: json.error.data.denialId },
      });
    });
    await client.end();
  });

  it('invalid settings are reported all at once with their file, and nothing starts', async () => {
    const wrong = {
      includeRequestData: 'yes',
      eventTypes: ['mcp_tool_calls'],
      maxDataSize: -1,
      logfile: 'x',
    };
    const refused = await portolan('run', '--audit-config', await audit(wrong), IMAGE);
    expect(refused.status).to.equal(2);
    for (const place of ['includeRequestData', 'eventTypes[0]', 'maxDataSize', 'logfile', 'audit.json']) {
      expect(refused.stderr).to.include(place);
    }
    await writeFile(path.join(root, 'audit.json'), '{ "logFile": ');
    const broken = await portolan('run', '--audit-config', 'audit.json', IMAGE);
    expect(broken.status).to.equal(2);
    expect(broken.stderr).to.include('audit.json');
    expect((await portolan('list', '--all', '--format', 'json')).stdout).to.equal('[]\n');
  });

  it('a run config of another tool may name only the file', async () => {
    await audit({ component: 'by-file', logFile: 'far.jsonl' });
    const config = {
      name: 'named',
      image: IMAGE,
      transport: 'stdio',
      cmd_args: ['stdio'],
      isolate_network: false,
      audit_config_path: 'audit.json',
    };
    await writeFile(path.join(root, 'named.json'), JSON.stringify(config));
    // A file of another author may not name a log file of the host, also with --trust.
    const refused = await portolan('run', '--trust', '--from-config', 'named.json');
    expect(refused.status).to.equal(2);
    expect(refused.stderr).to.include('audit_config.logFile').and.include('below the state folder');
    await audit({ component: 'by-file' });
    const started = await portolan('run', '--trust', '--from-config', 'named.json');
    expect(started.status, started.stderr).to.equal(0);
    await callAndRefuse(started);
    await eventually(async () =>
      expect((await portolan('logs', '--proxy', 'named')).stdout).to.include('"component":"by-file"'),
    );
    await rm(path.join(root, 'audit.json'));
    const lost = await portolan('run', '--name=lost', '--trust', '--from-config', 'named.json');
    expect(lost.status).not.to.equal(0);
  });
});
