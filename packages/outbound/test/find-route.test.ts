import type { Route } from '@portolan/plugin-api';
import { expect } from 'chai';
import { findAnyRoute, findOpenRoute } from '../src/find-route.ts';

const GIT = { scheme: 'https', host: 'git.acme.example', port: 443 };

/** Names as a resolver knows them. */
function resolving(...addresses: string[]) {
  return {
    resolve: async () => addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })),
  };
}

async function codeOf(route: Promise<Route>): Promise<unknown> {
  return route.then(
    () => undefined,
    (error: unknown) => error instanceof Error && 'code' in error && error.code,
  );
}

describe('findAnyRoute', () => {
  const PROXIES = { https_proxy: 'http://proxy.acme.example:3128', no_proxy: 'intern.acme.example' };

  it('returns a direct route without proxies, and looks up no name', async () => {
    expect(await findAnyRoute({})(GIT)).to.deep.equal({});
  });

  it('returns the proxy of the scheme, unless NO_PROXY exempts the host', async () => {
    const route = findAnyRoute(PROXIES);
    expect((await route(GIT)).proxy?.href).to.equal('http://proxy.acme.example:3128/');
    expect(await route({ ...GIT, scheme: 'http' })).to.deep.equal({});
    expect(await route({ ...GIT, host: 'git.intern.acme.example' })).to.deep.equal({});
    expect(await route({ ...GIT, host: '::1' })).to.deep.equal({});
    expect(await route({ ...GIT, scheme: 'ssh', port: 22 }), 'no HTTP').to.deep.equal({});
  });

  it('rejects a variable that contains no proxy address', async () => {
    expect(await codeOf(findAnyRoute({ https_proxy: 'socks5://x' })(GIT))).to.equal('ERR_PROXY_INVALID');
  });
});

describe('findOpenRoute', () => {
  const open = { allowPrivateAddresses: false };

  it('returns only the public addresses of a name, and throws when there is none', async () => {
    const mixed = resolving('10.0.0.1', '1.1.1.1', '2606:4700::1', '::1');
    expect(await findOpenRoute(open, mixed)(GIT)).to.deep.equal({ addresses: ['1.1.1.1', '2606:4700::1'] });
    expect(await codeOf(findOpenRoute(open, resolving('10.0.0.1'))(GIT))).to.equal('ERR_ADDRESS_FORBIDDEN');
    expect(await codeOf(findOpenRoute(open, resolving())(GIT))).to.equal('ERR_ADDRESS_FORBIDDEN');
  });

  it('hides the name and its addresses from the public message', async () => {
    const refused = await findOpenRoute(open, resolving('10.0.0.1'))(GIT).catch((error: unknown) => error);
    expect(refused).to.have.property('message').that.includes('10.0.0.1');
    expect(refused).to.have.property('publicMessage').that.is.a('string').and.not.includes('10.0.0.1');
    expect(refused).to.have.property('publicMessage').that.does.not.include(GIT.host);
  });

  for (const host of ['127.0.0.1', '2130706433', '0x7f.1', '::1', '::ffff:10.0.0.1', '169.254.169.254']) {
    it(`refuses ${host}`, async () => {
      expect(await codeOf(findOpenRoute(open)({ ...GIT, host }))).to.equal('ERR_ADDRESS_FORBIDDEN');
    });
  }

  it('returns a literal address, and private ones where they are allowed', async () => {
    expect(await findOpenRoute(open)({ ...GIT, host: '1.1.1.1' })).to.deep.equal({ addresses: ['1.1.1.1'] });
    const all = findOpenRoute({ allowPrivateAddresses: true }, resolving('10.0.0.1'));
    expect(await all(GIT)).to.deep.equal({ addresses: ['10.0.0.1'] });
    expect(await all({ ...GIT, host: '::1' })).to.deep.equal({ addresses: ['::1'] });
  });

  it('refuses a forbidden host before it is looked up', async () => {
    const rules = {
      resolve: () => expect.fail('looked up'),
      allowsHost: (name: string) => name === 'files.acme.example',
    };
    const route = findOpenRoute({ allowPrivateAddresses: true }, rules);
    expect(await codeOf(route(GIT))).to.equal('ERR_ADDRESS_FORBIDDEN');
  });
});
