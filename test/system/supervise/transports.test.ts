import path from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { SSEClientTransport } from '@modelcontextprotocol/sdk/client/sse.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';
import { eventually } from '@portolan/plugin-testing';
import type { RunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { useWorkloadBench } from './support/workload-bench.ts';

const MODULES = path.join(import.meta.dirname, '../../../node_modules');
const EVERYTHING = '/srv/node_modules/@modelcontextprotocol/server-everything/dist/index.js';

function everything(program: string): Partial<RunConfig> {
  return {
    cmd_args: ['node', EVERYTHING, program],
    permission_profile: { read: [`${MODULES}:/srv/node_modules`], network: { outbound: {} } },
  };
}

interface Way {
  readonly title: string;
  readonly fields: Partial<RunConfig>;
  readonly roles: readonly string[];
  readonly connect: (url: URL) => Transport;
}

const streamable = (url: URL): Transport => new StreamableHTTPClientTransport(url);
const events = (url: URL): Transport => new SSEClientTransport(url);
const bridge = { permission_profile: { read: [`${MODULES}:/srv/node_modules`] }, isolate_network: false };

const WAYS: readonly Way[] = [
  {
    title: 'stdio, isolated, a process for each session',
    fields: everything('stdio'),
    roles: ['gateway', 'session'],
    connect: streamable,
  },
  {
    title: 'stdio without isolation',
    fields: { ...everything('stdio'), ...bridge },
    roles: ['session'],
    connect: streamable,
  },
  {
    title: 'stdio, shared',
    fields: { ...everything('stdio'), stdio_sessions: 'shared' },
    roles: ['gateway', 'server'],
    connect: streamable,
  },
  {
    title: 'stdio behind HTTP+SSE',
    fields: { ...everything('stdio'), proxy_mode: 'sse' },
    roles: ['gateway', 'session'],
    connect: events,
  },
  {
    title: 'streamable HTTP, isolated',
    fields: { ...everything('streamableHttp'), transport: 'streamable-http', target_port: 3001 },
    roles: ['gateway', 'server'],
    connect: streamable,
  },
  {
    title: 'streamable HTTP without isolation',
    fields: { ...everything('streamableHttp'), transport: 'streamable-http', target_port: 3001, ...bridge },
    roles: ['server'],
    connect: streamable,
  },
  {
    title: 'streamable HTTP without any network',
    fields: {
      ...everything('streamableHttp'),
      transport: 'streamable-http',
      target_port: 3001,
      permission_profile: { ...bridge.permission_profile, network: { mode: 'none' } },
    },
    roles: ['gateway', 'server'],
    connect: streamable,
  },
  {
    title: 'HTTP+SSE, isolated',
    fields: { ...everything('sse'), transport: 'sse', target_port: 3001 },
    roles: ['gateway', 'server'],
    connect: events,
  },
];

describe('superviseWorkload', function () {
  this.timeout(180_000);
  const bench = useWorkloadBench();

  for (const { title, fields, roles, connect } of WAYS) {
    it(`serves a real server to the official client: ${title}`, async () => {
      const config = await bench.config(fields);
      const workload = await bench.supervise(config);
      const { url, instance } = await workload.ready;
      const client = new Client({ name: 'tester', version: '1.0.0' });
      await client.connect(connect(new URL(url)));
      try {
        const { tools } = await client.listTools();
        expect(tools.map(({ name }) => name)).to.include('echo');
        const answer = await client.callTool({ name: 'echo', arguments: { message: 'ahoy' } });
        expect(JSON.stringify(answer.content)).to.contain('ahoy');
        const containers = await bench.runtime.listContainers({ 'portolan.dev/name': config.name });
        const found = new Set(containers.map(({ labels }) => labels['portolan.dev/role']));
        expect([...found]).to.have.members(roles);
        const health = await fetch(new URL('/health', url));
        expect(await health.json()).to.include({ status: 'healthy', instance });
        expect(await bench.statusOf(config.name)).to.equal('running');
      } finally {
        await client.close();
      }
      expect(await workload.stop()).to.deep.equal({ how: 'stopped' });
      expect(await bench.containers(config.name)).to.deep.equal([]);
      expect(await bench.runtimeFiles()).to.deep.equal([]);
      const stored = await bench.context().store.getState(config.name);
      expect(stored).to.include({ status: 'stopped', url: '', containerId: '' });
      expect(stored.supervisor).to.equal(undefined);
      await expectRefused(url);
    });
  }

  it('gives each session its own container, and removes those of ended sessions', async () => {
    const config = await bench.config(everything('stdio'));
    const workload = await bench.supervise(config);
    const { url } = await workload.ready;
    const clients = await Promise.all(
      ['one', 'two', 'three'].map(async (name) => {
        const transport = new StreamableHTTPClientTransport(new URL(url));
        const client = new Client({ name, version: '1.0.0' });
        await client.connect(transport);
        return { client, transport };
      }),
    );
    // Three sessions and one spare process, each with a gateway.
    await eventually(async () => expect(await bench.containers(config.name)).to.have.length(8), {
      withinMs: 40_000,
    });
    for (const { client, transport } of clients) {
      await transport.terminateSession();
      await client.close();
    }
    await eventually(async () => expect(await bench.containers(config.name)).to.have.length(2), {
      withinMs: 40_000,
    });
    await workload.stop();
    expect(await bench.containers(config.name)).to.deep.equal([]);
  });
});

async function expectRefused(url: string): Promise<void> {
  try {
    await fetch(url);
  } catch (error) {
    expect(error).to.be.instanceOf(TypeError);
    return;
  }
  throw new Error(`${url} is still listened on`);
}
