import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { eventually } from '@portolan/plugin-testing';
import type { Members, RunConfig } from '@portolan/run-spec';
import { expect } from 'chai';
import { runMember, toolServer } from './support/tool-servers.ts';
import { useWorkloadBench, type WorkloadBench } from './support/workload-bench.ts';

async function virtual(bench: WorkloadBench, members: Members): Promise<RunConfig> {
  return await bench.config({
    image: '',
    transport: 'streamable-http',
    permission_profile: undefined,
    isolate_network: false,
    members,
  });
}

async function withClient<Result>(url: string, use: (client: Client) => Promise<Result>): Promise<Result> {
  const client = new Client({ name: 'test', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

async function toolNames(url: string): Promise<readonly string[]> {
  return await withClient(url, async (client) => (await client.listTools()).tools.map(({ name }) => name));
}

async function call(url: string, name: string): Promise<string> {
  return await withClient(url, async (client) => {
    const result = await client.callTool({ name, arguments: {} });
    return (result.content as readonly { readonly text: string }[])[0]?.text ?? '';
  });
}

describe('superviseWorkload of a virtual server', () => {
  const bench = useWorkloadBench();

  it('serves members over stdio and HTTP, each in an isolated network of its own', async () => {
    const config = await virtual(bench, {
      alpha: runMember({ ...toolServer('stdio', 'alpha', ['say']), container_labels: bench.labels }),
      beta: runMember({ ...toolServer('streamable-http', 'beta', ['say']), container_labels: bench.labels }),
    });
    const supervised = await bench.supervise(config);
    const { url } = await supervised.ready;
    await eventually(async () => expect(await toolNames(url)).to.deep.equal(['alpha_say', 'beta_say']));
    expect(await call(url, 'alpha_say')).to.match(/^alpha say /);
    expect(await call(url, 'beta_say')).to.match(/^beta say /);
    const containers = await bench.containers(config.name);
    expect(containers).to.include.members([
      `${config.name}-member-beta`,
      `${config.name}-member-beta-gateway`,
    ]);
    await supervised.stop();
    expect(await bench.containers(config.name)).to.deep.equal([]);
  });
});
