import type { ContainerSpec } from '@portolan/plugin-api';
import { createTestContext, findConfigBlockProblems } from '@portolan/plugin-testing';
import { expect } from 'chai';
import plugin, { streamableHttpTransport } from '../src/index.ts';

const SPEC: ContainerSpec = { name: 'n', image: 'i', command: [], environment: {}, labels: {} };
const SETUP = { port: 8080, serves: 'shared' } as const;

describe('streamableHttpTransport', () => {
  it('is contributed by the plugin, with a documentable config block', () => {
    expect(plugin.contributes.transports).to.deep.equal([streamableHttpTransport]);
    expect(findConfigBlockProblems(streamableHttpTransport.config)).to.deep.equal([]);
  });

  it("returns the client's path, and sets the server's host and port variables", async () => {
    const transport = await streamableHttpTransport.create({}, createTestContext());
    expect(transport).to.include({ carries: 'http', clientPath: '/mcp' });
    expect(transport.prepareContainer(SPEC, SETUP)).to.deep.equal({
      ...SPEC,
      stdin: 'closed',
      environment: {
        MCP_TRANSPORT: 'streamable-http',
        MCP_HOST: '0.0.0.0',
        MCP_PORT: '8080',
        FASTMCP_PORT: '8080',
        PORT: '8080',
      },
    });
  });

  it('keeps variables that are already set', async () => {
    const transport = await streamableHttpTransport.create({}, createTestContext());
    const environment = { PORT: '9000', MCP_HOST: '127.0.0.1' };
    expect(transport.prepareContainer({ ...SPEC, environment }, SETUP).environment).to.include(environment);
  });
});
