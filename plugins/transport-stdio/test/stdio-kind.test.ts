import type { ContainerSpec } from '@portolan/plugin-api';
import { createTestContext, findConfigBlockProblems } from '@portolan/plugin-testing';
import { expect } from 'chai';
import plugin, { stdioTransport } from '../src/index.ts';

const SPEC: ContainerSpec = { name: 'n', image: 'i', command: [], environment: {}, labels: {} };

describe('stdioTransport', () => {
  it('is contributed by the plugin, with a documentable config block', () => {
    expect(plugin.contributes.transports).to.deep.equal([stdioTransport]);
    expect(findConfigBlockProblems(stdioTransport.config)).to.deep.equal([]);
  });

  for (const { serves, stdin } of [
    { serves: 'session', stdin: 'once' },
    { serves: 'shared', stdin: 'open' },
  ] as const) {
    it(`opens the input of a process that serves ${serves === 'session' ? 'one session' : 'all sessions'}`, async () => {
      const transport = await stdioTransport.create({}, createTestContext());
      const prepared = transport.prepareContainer(SPEC, { port: undefined, serves });
      expect(prepared).to.deep.equal({ ...SPEC, stdin, environment: { MCP_TRANSPORT: 'stdio' } });
    });
  }

  it('keeps a variable that is already set', async () => {
    const transport = await stdioTransport.create({}, createTestContext());
    const spec = { ...SPEC, environment: { MCP_TRANSPORT: 'http' } };
    expect(
      transport.prepareContainer(spec, { port: undefined, serves: 'session' }).environment,
    ).to.deep.equal(spec.environment);
  });
});
