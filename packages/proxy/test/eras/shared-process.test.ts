import { expect } from 'chai';
import { EraClient, modernParams } from '../support/era-client.ts';
import { EraServers, legacyScript } from '../support/era-servers.ts';
import { modernScript } from '../support/modern-script.ts';

describe('translateEras with only one process', () => {
  const servers = new EraServers();
  afterEach(async () => expect(await servers.close()).to.equal(0));

  const MODERN_ECHO = modernScript({
    received: ({ id, params }, server) => {
      const content = [{ type: 'text', text: JSON.stringify(params.arguments) }];
      server.say({ id, result: { resultType: 'complete', content } });
    },
  });

  for (const [era, script] of [
    ['Legacy', legacyScript()],
    ['Modern', MODERN_ECHO],
  ] as const) {
    for (const first of ['legacy', 'modern'] as const) {
      it(`serves clients of both eras from one ${era} process when a ${first} client comes first`, async () => {
        const { server, running } = servers.open(script, {}, true);
        const legacy = await EraClient.open(server.openLegacy);
        const modern = await EraClient.open(server.openModern);
        const greet = async (): Promise<void> => {
          expect((await legacy.greet({})).result.protocolVersion).to.equal('2025-11-25');
        };
        const discover = async (): Promise<void> => {
          const { result } = await modern.request('server/discover', modernParams());
          expect(result.supportedVersions).to.deep.equal(['2026-07-28']);
        };
        for (const step of first === 'legacy' ? [greet, discover] : [discover, greet]) await step();
        const call = { name: 'echo', arguments: { from: 'legacy' } };
        const other = { name: 'echo', arguments: { from: 'modern' } };
        const [one, two] = await Promise.all([
          legacy.request('tools/call', call, 1),
          modern.request('tools/call', modernParams(other), 1),
        ]);
        expect(one.result).to.deep.equal({ content: [{ type: 'text', text: '{"from":"legacy"}' }] });
        expect(two.result.content[0].text).to.equal('{"from":"modern"}');
        expect(two.result.resultType).to.equal('complete');
        expect(running()).to.have.lengthOf(1);
      });
    }
  }

  it('refuses requests of the server, which could belong to any client', async () => {
    const script = legacyScript((message, process) => {
      if (message.method === 'tools/call')
        process.say({ id: 'ask', method: 'elicitation/create', params: {} });
      else if (message.id === 'ask') process.say({ id: 'p-2', result: { content: [] } });
    });
    const { server, running } = servers.open(script, {}, true);
    const modern = await EraClient.open(server.openModern);
    await modern.request('server/discover', modernParams());
    void modern.send({
      id: 1,
      method: 'tools/call',
      params: modernParams({ name: 'x' }, { elicitation: {} }),
    });
    const [process] = running();
    await process?.got('tools/call');
    const refusal = process?.sent.find(({ id }) => id === 'ask');
    expect(refusal?.error.code).to.equal(-32601);
  });

  for (const [era, script] of [
    ['Legacy', legacyScript()],
    ['Modern', MODERN_ECHO],
  ] as const) {
    it(`starts a ${era} process again after it has exited, once the earlier one is closed`, async () => {
      const { server, processes, running } = servers.open(script, {}, true);
      const legacy = await EraClient.open(server.openLegacy);
      const modern = await EraClient.open(server.openModern);
      await legacy.greet({});
      await modern.request('server/discover', modernParams());
      running()[0]?.exit();
      await Promise.all([legacy.ended, modern.ended]);
      const again = await EraClient.open(server.openLegacy);
      expect(running()).to.have.lengthOf(1);
      expect((await again.greet({})).result.protocolVersion).to.equal('2025-11-25');
      expect(running()).to.deep.equal(processes.slice(-1));
    });
  }

  it('ends the connection that is kept for the next client when its process exits', async () => {
    const { server, running } = servers.open(legacyScript(), {}, true);
    const spare = await EraClient.open(server.openLegacy);
    const [process] = running();
    process?.write('a line that is not a message');
    process?.exit();
    await spare.ended;
    expect(running()).to.deep.equal([]);
  });
});
