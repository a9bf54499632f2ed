import { expect } from 'chai';
import { requireKnownHost } from '../../src/supervisor/network/require-known-host.ts';

const failing = (code: string) => (): Promise<never> =>
  Promise.reject(Object.assign(new Error(code), { code }));
const outcome = async (...values: Parameters<typeof requireKnownHost>): Promise<unknown> =>
  await requireKnownHost(...values).then(
    () => 'fine',
    (error: unknown) => error,
  );

describe('requireKnownHost', () => {
  const url = new URL('https://mcp.acme.example/mcp?key=hunter2');

  it('refuses a host that does not exist, at once and without what else is in the URL', async () => {
    const error = await outcome(url, failing('ENOTFOUND'));
    expect(error).to.include({ code: 'ERR_REMOTE_HOST' });
    expect(error)
      .to.have.property('message')
      .that.includes('no host mcp.acme.example')
      .and.not.includes('hunter2');
  });

  it('takes every other fault for one that may pass', async () => {
    for (const code of ['EAI_AGAIN', 'ETIMEOUT', 'ECONNREFUSED']) {
      expect(await outcome(url, failing(code))).to.equal('fine');
    }
  });

  it('asks for what stands in the URL, an address too', async () => {
    const asked: string[] = [];
    const lookup = (host: string): Promise<void> => Promise.resolve(void asked.push(host));
    expect(await outcome(url, lookup)).to.equal('fine');
    expect(await outcome(new URL('http://[::1]:8080/'), lookup)).to.equal('fine');
    expect(asked).to.deep.equal(['mcp.acme.example', '::1']);
  });
});
