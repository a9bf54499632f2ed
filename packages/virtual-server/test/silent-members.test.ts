import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { echo, fakeMember, toolsOf } from './support/fake-member.ts';
import { modernRequest } from './support/modern-request.ts';
import { VirtualServers } from './support/virtual-servers.ts';

describe('virtual server with a member that does not respond to health checks', () => {
  const servers = new VirtualServers();
  afterEach(async () => await servers.close());

  it('tools/call › fails at once, and the tools stay listed, until the member responds again', async () => {
    let silence: string | undefined;
    const lost = fakeMember(
      'lost',
      { results: { 'tools/list': toolsOf('find') }, respond: echo('lost') },
      { silent: () => silence },
    );
    const { url, server } = await servers.open([lost]);
    const list = async (): Promise<string> => JSON.stringify((await modernRequest(url, 'tools/list')).result);
    const call = async () =>
      JSON.stringify(await modernRequest(url, 'tools/call', { name: 'lost_find', arguments: {} }));
    expect(await list()).to.include('lost_find');
    silence = 'it hangs';
    const sent = lost.connections.flatMap(({ messages }) => messages).length;
    expect(await call())
      .to.include('it hangs')
      .and.include('"member":"lost"');
    expect(await list()).to.include('lost_find');
    expect(lost.connections.flatMap(({ messages }) => messages)).to.have.lengthOf(sent);
    expect(server.status()[0]).to.include({ state: 'unavailable', lastError: 'it hangs' });
    silence = undefined;
    expect(await call()).to.include(String.raw`\"name\":\"find\"`);
    expect(server.status()[0]).to.include({ state: 'available' });
  });

  it('suspect › is called when a request fails', async () => {
    let suspicions = 0;
    const dying = fakeMember(
      'dying',
      {
        results: { 'tools/list': toolsOf('end') },
        respond: ({ method }, connection) => {
          if (method === 'tools/call') connection.exit();
          return undefined;
        },
      },
      { suspect: () => (suspicions += 1) },
    );
    const { url } = await servers.open([dying]);
    await modernRequest(url, 'tools/list');
    expect(suspicions).to.equal(0);
    await modernRequest(url, 'tools/call', { name: 'dying_end', arguments: {} });
    await eventually(() => expect(suspicions).to.be.above(0));
  });
});
