import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { expect } from 'chai';
import type { Answer } from '../../../packages/proxy/test/support/http-client.ts';
import { McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { PolicyBench, urlOf, WAYS } from './support/policy-bench.ts';

const CALL = (id: number, name: string) => ({
  id,
  method: 'tools/call',
  params: { name, arguments: { message: 'hello', a: 1, b: 2 } },
});

/** Returns the message in a response of either form. */
function said({ json: alone, text }: Answer): Answer['json'] {
  if (alone !== undefined) return alone;
  const line = text.split('\n').findLast((one) => one.startsWith('data:'));
  return JSON.parse(line?.slice('data:'.length) ?? 'null');
}

describe('portolan run --authz-config of type httpv1', function () {
  this.timeout(120_000);
  let bench: PolicyBench;
  let server: Server;
  let asked: { operation: string; resource: string; principal: { sub: string }; context: object }[];
  let file: string;

  beforeEach(async () => {
    asked = [];
    const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
      // Request to the decision point, which the test checks.
      const question = (await json(request)) as (typeof asked)[number];
      asked.push(question);
      response.end(JSON.stringify({ allow: question.resource.endsWith(':tool:echo') }));
    };
    server = createServer((request, response) => void take(request, response));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    // SAFETY: a TCP server has a port.
    const { port } = server.address() as AddressInfo;
    bench = await PolicyBench.open();
    const config = {
      version: '1.0',
      type: 'httpv1',
      pdp: {
        http: { url: `http://127.0.0.1:${port}`, timeout: 5 },
        claim_mapping: 'standard',
        context: { include_args: true },
      },
    };
    file = await bench.write('authz.json', JSON.stringify(config));
  });
  afterEach(async () => {
    await bench.close();
    await stop();
  });

  async function stop(): Promise<void> {
    server.closeAllConnections();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  }

  for (const way of WAYS) {
    it(`requests decisions about calls and lists for a server over ${way}, and denies when the service is down`, async () => {
      const name = `decided-${way}`;
      const client = await McpClient.connect(await urlOf(await bench.run(way, name, '--authz-config', file)));
      expect((await client.post(CALL(1, 'echo'))).status).to.equal(200);
      expect(asked.at(-1)).to.deep.include({
        operation: 'mcp:tool:call',
        resource: `mrn:mcp:${name}:tool:echo`,
        context: { mcp: { args: { message: 'hello', a: 1, b: 2 } } },
      });
      const denied = await client.post(CALL(2, 'get-env'));
      const { code, message, data } = denied.json.error;
      expect([denied.status, denied.json.id, code, message]).to.deep.equal([200, 2, 403, 'Unauthorized']);
      const why = await bench.portolan('authz', 'why', String(data.denialId));
      expect([why.status, why.stdout.includes('The decision point denies it.')], why.stderr).to.deep.equal([
        0,
        true,
      ]);
      const listed = said(await client.post({ id: 3, method: 'tools/list' }));
      expect(listed.result.tools.map((tool: { name: string }) => tool.name)).to.deep.equal(['echo']);
      await stop();
      expect((await client.post(CALL(4, 'echo'))).json.error.code).to.equal(403);
      expect(said(await client.post({ id: 5, method: 'tools/list' })).error.code).to.equal(-32_603);
      await client.end();
    });
  }

  it('is part of plan and status, works with authz test, and exits with status 2 for an invalid file', async () => {
    const plan = await bench.run('stdio', 'planned', '--authz-config', file, '--dry-run', '--format=json');
    expect(JSON.parse(plan.stdout).protections).to.include('what callers may do, as a service decides');
    const faults: readonly (readonly [pdp: object, says: RegExp])[] = [
      [{ claim_mapping: 'standard' }, /pdp\.http/],
      [{ http: { url: 'https://pdp.example' } }, /pdp\.claim_mapping/],
      [
        { http: { url: 'https://pdp.example', insecure_skip_verify: true }, claim_mapping: 'mpe' },
        /insecure_skip_verify/,
      ],
    ];
    for (const [pdp, says] of faults) {
      const faulty = await bench.write(
        'faulty.json',
        JSON.stringify({ version: '1.0', type: 'httpv1', pdp }),
      );
      const { status, stderr } = await bench.run('stdio', 'faulty', '--authz-config', faulty);
      expect([status, stderr.match(says) === null ? stderr : '']).to.deep.equal([2, '']);
    }
  });
});
