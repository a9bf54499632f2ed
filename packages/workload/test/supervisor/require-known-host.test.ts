import { expect } from 'chai';
import { requireKnownHost } from '../../src/supervisor/server/remote-server.ts';

const failing = (code: string) => (): Promise<never> =>
  Promise.reject(Object.assign(new Error(code), { code }));
const outcome = async (...values: Parameters<typeof requireKnownHost>): Promise<unknown> =>
  await requireKnownHost(...values).then(
    () => 'fine',
    (error: unknown) => error,
  );

describe('requireKnownHost', () => {
  const url = new URL('https://mcp.acme.example/mcp?key=hunter2');

  it("rejects a host that does not exist, without the URL's query in the message", async () => {
    const error = await outcome(url, failing('ENOTFOUND'));
    expect(error).to.include({ code: 'ERR_REMOTE_HOST' });
    expect(error)
      .to.have.property('message')
      .that.includes('host name mcp.acme.example does not resolve')
      .and.not.includes('hunter2');
  });

  it('accepts every other error as temporary', async () => {
    for (const code of ['EAI_AGAIN', 'ETIMEOUT', 'ECONNREFUSED']) {
      expect(await outcome(url, failing(code))).to.equal('fine');
    }
  });

  it('looks up the host of the URL, also an IPv6 address', async () => {
    const asked: string[] = [];
    const lookup = (host: string): Promise<void> => Promise.resolve(void asked.push(host));
    expect(await outcome(url, lookup)).to.equal('fine');
    expect(await outcome(new URL('http://[::1]:8080/'), lookup)).to.equal('fine');
    expect(asked).to.deep.equal(['mcp.acme.example', '::1']);
  });
});
