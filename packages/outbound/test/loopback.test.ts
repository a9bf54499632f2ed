import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isPortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { type AddressRules, USUAL } from '../src/address-rules.ts';
import { askAddress } from '../src/ask-address.ts';
import { findAnyRoute } from '../src/find-route.ts';
import { isLoopbackAddress, isLoopbackHost } from '../src/loopback.ts';
import { openFetch } from '../src/open-fetch.ts';

describe('isLoopbackHost', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]', '::1', '[::ffff:7f00:1]'])
    it(`accepts ${host}`, () => expect(isLoopbackHost(host)).to.equal(true));
  for (const host of [
    'localhost.evil.example',
    'a.localhost',
    '0.0.0.0',
    '10.0.0.1',
    '128.0.0.1',
    '[::2]',
    '127.0.0.1.nip.io',
    '',
  ])
    it(`refuses "${host}"`, () => expect(isLoopbackHost(host)).to.equal(false));
});

describe('isLoopbackAddress', () => {
  for (const address of ['127.0.0.1', '127.255.0.1', '::1', '::ffff:127.0.0.1', '0.0.0.0', '::', '0.1.2.3'])
    it(`accepts ${address}`, () => expect(isLoopbackAddress(address)).to.equal(true));
  for (const address of ['128.0.0.1', '10.0.0.1', '::2', '93.184.216.34', 'localhost'])
    it(`refuses ${address}`, () => expect(isLoopbackAddress(address)).to.equal(false));
});

describe('openFetch with loopbackFor', () => {
  let configured: Server;
  let other: Server;
  const portOf = (server: Server) => (server.address() as AddressInfo).port; // it listens on a port
  const listen = (answer: (location: string) => string | undefined): Promise<Server> =>
    new Promise((resolve) => {
      const server = createServer((request, response) => {
        const location = answer(request.url ?? '');
        if (location === undefined) response.end('here');
        else response.writeHead(302, { location }).end();
      }).listen(0, '127.0.0.1', () => resolve(server));
    });
  before(async () => {
    other = await listen(() => undefined);
    configured = await listen((path) =>
      path.startsWith('/to/') ? decodeURIComponent(path.slice(4)) : undefined,
    );
  });
  after(() => {
    configured.close();
    other.close();
  });

  /** `public.example` is public, `sneaky.example` resolves to loopback. */
  const rules: Partial<AddressRules> = {
    resolve: async (name, options) =>
      name === 'localhost'
        ? await USUAL.resolve(name, options)
        : [{ address: name === 'sneaky.example' ? '127.0.0.1' : '192.0.2.1', family: 4 }],
  };
  const ask = async (address: string, options: Parameters<typeof openFetch>[0]): Promise<string> => {
    const opened = await openFetch(options, rules);
    try {
      const question = {
        fetch: opened.fetch,
        timeoutMs: 5000,
        redirects: { max: 5, refuse: () => undefined },
      };
      return await askAddress(new URL(address), question, async ({ status }) => String(status));
    } catch (error) {
      for (let at = error; at instanceof Error; at = at.cause) if (isPortolanError(at)) return at.code;
      return `${String(error)} ${JSON.stringify(error)}`.includes('ERR_ADDRESS_FORBIDDEN')
        ? 'ERR_ADDRESS_FORBIDDEN'
        : String(error);
    } finally {
      await opened.close();
    }
  };

  const FORBIDDEN = 'ERR_ADDRESS_FORBIDDEN';
  for (const allowPrivateAddresses of [false, true]) {
    const named = () => ({
      allowPrivateAddresses,
      loopbackFor: [`http://127.0.0.1:${portOf(configured)}/x`, `http://localhost:${portOf(configured)}/x`],
    });
    describe(`and allowPrivateAddresses: ${allowPrivateAddresses}`, () => {
      it('connects to the configured address', async () => {
        expect(await ask(`http://127.0.0.1:${portOf(configured)}/`, named())).to.equal('200');
        expect(await ask(`http://localhost:${portOf(configured)}/`, named())).to.equal('200');
      });

      it('follows a redirect on the same scheme, host and port', async () => {
        expect(await ask(`http://127.0.0.1:${portOf(configured)}/to/%2Felsewhere`, named())).to.equal('200');
      });

      const hosts = [
        '127.0.0.1',
        '127.0.0.2',
        'localhost',
        '0.0.0.0',
        '[::1]',
        '[::ffff:127.0.0.1]',
        '2130706433',
        'sneaky.example',
      ];
      for (const host of hosts)
        it(`refuses a redirect to another port of ${host}`, async () => {
          const to = encodeURIComponent(`http://${host}:${portOf(other)}/`);
          expect(await ask(`http://127.0.0.1:${portOf(configured)}/to/${to}`, named())).to.equal(FORBIDDEN);
        });

      it('refuses an address from a document', async () => {
        expect(await ask(`http://127.0.0.1:${portOf(other)}/`, named())).to.equal(FORBIDDEN);
        expect(await ask(`http://sneaky.example:${portOf(other)}/`, named())).to.equal(FORBIDDEN);
      });
    });
  }

  it('refuses a configured name that resolves to loopback, unless private addresses are allowed', async () => {
    const address = `http://sneaky.example:${portOf(configured)}/`;
    const loopbackFor = [address];
    expect(await ask(address, { allowPrivateAddresses: false, loopbackFor })).to.equal(FORBIDDEN);
    expect(await ask(address, { allowPrivateAddresses: true, loopbackFor })).to.equal('200');
  });
});

describe('the host name localhost', () => {
  it('resolves to the loopback addresses, without a look-up', async () => {
    expect(await USUAL.resolve('localhost', {})).to.deep.equal([
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ]);
    expect(await USUAL.resolve('localhost', { family: 6 })).to.deep.equal([{ address: '::1', family: 6 }]);
    const route = await findAnyRoute({})({ scheme: 'https', host: 'localhost', port: 443 });
    expect(route).to.deep.equal({ addresses: ['127.0.0.1', '::1'] });
  });
});
