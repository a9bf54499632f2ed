import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { isPortolanError, type OpenFetch } from '@portolan/plugin-api';
import { expect } from 'chai';
import type { AddressRules } from '../src/address-rules.ts';
import { openFetch } from '../src/open-fetch.ts';
import { isPublicAddress } from '../src/address-rules.ts';

const tls = (file: string): string => readFileSync(join(import.meta.dirname, 'fixtures/tls', file), 'utf8');

describe('openFetch', () => {
  const servers: Server[] = [];
  const fetches: OpenFetch[] = [];
  let asked: string[];

  beforeEach(() => {
    asked = [];
  });
  afterEach(async () => {
    for (const opened of fetches.splice(0)) await opened.close();
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
    servers.push(server);
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
    // SAFETY: a listening TCP server has an address with a port.
    return (server.address() as AddressInfo).port;
  }

  function serve(answer: RequestListener = (_request, response) => response.end('here')): Promise<number> {
    return listen(
      createServer((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        answer(request, response);
      }),
    );
  }

  async function open(
    options: Parameters<typeof openFetch>[0],
    rules?: AddressRules,
  ): Promise<OpenFetch['fetch']> {
    const opened = await openFetch(options, rules);
    fetches.push(opened);
    return opened.fetch;
  }

  async function codeOf(answer: Promise<unknown>): Promise<string | undefined> {
    try {
      await answer;
    } catch (error) {
      return isPortolanError(error) ? error.code : String(error);
    }
    return undefined;
  }

  describe('without private addresses', () => {
    for (const host of [
      '127.0.0.1',
      '127.1',
      '0x7f.1',
      '0177.0.0.1',
      '2130706433',
      '0.0.0.0',
      '[::1]',
      '[::]',
      '[::ffff:127.0.0.1]',
      '[::ffff:7f00:1]',
      '[64:ff9b::7f00:1]',
      '[2002:7f00:1::]',
      '127.0.0.1.',
      '①②⑦.0.0.1',
      'localhost',
    ]) {
      it(`refuses ${host} before anything is sent`, async () => {
        const port = await serve();
        const fetch = await open({ allowPrivateAddresses: false });
        expect(await codeOf(fetch(`http://${host}:${port}/`))).to.equal('ERR_ADDRESS_FORBIDDEN');
        expect(asked).to.deep.equal([]);
      });
    }

    it('refuses 127.0.0.1 over TLS', async () => {
      const fetch = await open({ allowPrivateAddresses: false });
      expect(await codeOf(fetch('https://127.0.0.1:8443/'))).to.equal('ERR_ADDRESS_FORBIDDEN');
    });

    it('refuses a name that resolves to a private address, and names both', async () => {
      const fetch = await open({ allowPrivateAddresses: false }, resolvesTo('10.1.2.3'));
      try {
        await fetch('http://keys.acme.example/');
        expect.fail('it was reached');
      } catch (error) {
        expect(error).to.include({ code: 'ERR_ADDRESS_FORBIDDEN' });
        expect(String(error)).to.include('keys.acme.example (10.1.2.3)');
      }
    });

    it('connects only to the public ones of several addresses', async () => {
      const port = await serve();
      const rules = { ...resolvesTo('10.1.2.3', '127.0.0.1', '::1'), isPublic: only('127.0.0.1') };
      const fetch = await open({ allowPrivateAddresses: false }, rules);
      expect(await (await fetch(`http://mixed.acme.example:${port}/`)).text()).to.equal('here');
    });

    it('reports that a name does not exist', async () => {
      const resolve = (): Promise<never> => Promise.reject(new Error('no such name'));
      const fetch = await open({ allowPrivateAddresses: false }, { resolve, isPublic: isPublicAddress });
      expect(await codeOf(fetch('http://nowhere.acme.example/'))).to.match(/fetch failed/);
    });

    for (const { title, to } of [
      { title: 'by number', to: '127.0.0.2' },
      { title: 'by another number', to: '0x7f000002' },
      { title: 'by name', to: 'inner.acme.example' },
    ]) {
      it(`refuses a redirect to a private address ${title}`, async () => {
        const port = await serve((request, response) => {
          if (request.url === '/secret') response.end('secret');
          else response.writeHead(302, { location: `http://${to}:${port}/secret` }).end();
        });
        const rules = { ...resolvesTo('127.0.0.2'), isPublic: only('127.0.0.1') };
        const fetch = await open({ allowPrivateAddresses: false }, rules);
        expect(await codeOf(fetch(`http://127.0.0.1:${port}/`))).to.equal('ERR_ADDRESS_FORBIDDEN');
        expect(asked).to.deep.equal(['GET /']);
      });
    }
  });

  it('connects to private addresses where they are allowed, by number and by name', async () => {
    const port = await serve();
    const fetch = await open({ allowPrivateAddresses: true });
    expect(await (await fetch(`http://127.0.0.1:${port}/a`)).text()).to.equal('here');
    const named = await open({ allowPrivateAddresses: true }, resolvesTo('127.0.0.1'));
    expect(await (await named(`http://keys.acme.example:${port}/b`)).text()).to.equal('here');
    expect(asked).to.deep.equal(['GET /a', 'GET /b']);
  });

  it('accepts all arguments of the global fetch', async () => {
    const bodies: string[] = [];
    const port = await serve(async (request, response) => {
      const text = await textOf(request);
      bodies.push(`${request.headers['content-type']} ${text}`);
      response.end();
    });
    const fetch = await open({ allowPrivateAddresses: true });
    const url = `http://127.0.0.1:${port}/`;
    const form = new FormData();
    form.set('token', 'one');
    await fetch(new URL(url), { method: 'POST', body: new URLSearchParams({ token: 'one' }) });
    await fetch(new Request(url, { method: 'POST', body: 'text', headers: { 'content-type': 'text/x' } }));
    await fetch(url, { method: 'POST', body: form });
    expect(bodies[0]).to.equal('application/x-www-form-urlencoded;charset=UTF-8 token=one');
    expect(bodies[1]).to.equal('text/x text');
    expect(bodies[2]).to.match(/^multipart\/form-data.*name="token"/s);
  });

  it('sends its client certificate when a server asks for one', async () => {
    const pair = { cert: tls('certificate.pem'), key: tls('key.pem') };
    const server = createTlsServer(
      { ...pair, ca: pair.cert, requestCert: true, rejectUnauthorized: true },
      (_request, response) => response.end('known'),
    );
    const url = `https://localhost:${await listen(server)}/`;
    const trusted = { allowPrivateAddresses: true, ca: pair.cert };
    const showing = await open({
      ...trusted,
      clientCertificate: { certificate: pair.cert, key: pair.key },
    });
    expect(await (await showing(url)).text()).to.equal('known');
    const silent = await open(trusted);
    expect(await codeOf(silent(url))).to.include('fetch failed');
  });

  it('refuses a certificate without the matching key before any request', async () => {
    const options = { allowPrivateAddresses: true, clientCertificate: { certificate: 'x', key: 'y' } };
    expect(await codeOf(open(options))).to.equal('ERR_NAMED_FILE');
  });

  it('accepts any server certificate only when configured to', async () => {
    const server = createTlsServer(
      { cert: tls('certificate.pem'), key: tls('key.pem') },
      (_request, response) => response.end('anybody'),
    );
    const url = `https://127.0.0.1:${await listen(server)}/`;
    const believing = await open({ allowPrivateAddresses: true, verifiesServer: false });
    expect(await (await believing(url)).text()).to.equal('anybody');
    for (const options of [{}, { verifiesServer: true }]) {
      const careful = await open({ allowPrivateAddresses: true, ...options });
      expect(await codeOf(careful(url))).to.include('fetch failed');
    }
  });

  it('trusts a certificate authority only when configured to', async () => {
    const server = createTlsServer(
      { cert: tls('certificate.pem'), key: tls('key.pem') },
      (_request, response) => response.end('safe'),
    );
    const url = `https://localhost:${await listen(server)}/`;
    const trusting = await open({ allowPrivateAddresses: true, ca: tls('certificate.pem') });
    expect(await (await trusting(url)).text()).to.equal('safe');
    const usual = await open({ allowPrivateAddresses: true });
    expect(await codeOf(usual(url))).to.match(/fetch failed/);
  });

  describe('with a proxy', () => {
    /** Forwards nothing: it answers itself, or joins tunnels to a server of the test. */
    async function serveProxy(tunnelTo?: number): Promise<string> {
      const proxy = createServer((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        response.end('of the proxy');
      });
      proxy.on('connect', (request, socket) => {
        asked.push(`CONNECT ${request.url} ${request.headers['proxy-authorization'] ?? ''}`.trim());
        if (tunnelTo === undefined) {
          socket.end('HTTP/1.1 403 Forbidden\r\n\r\n');
          return;
        }
        const onward = connect(tunnelTo, '127.0.0.1', () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          socket.pipe(onward).pipe(socket);
        });
        socket.on('error', () => onward.destroy());
        onward.on('error', () => socket.destroy());
      });
      return `127.0.0.1:${await listen(proxy)}`;
    }

    it('sends the absolute URL to the proxy for http, including names that only the proxy can resolve', async () => {
      const environment = { http_proxy: `http://${await serveProxy()}` };
      const fetch = await open({ allowPrivateAddresses: false, environment });
      const answer = await fetch('http://index.acme.example/a?b=c');
      expect(await answer.text()).to.equal('of the proxy');
      expect(asked).to.deep.equal(['GET http://index.acme.example/a?b=c']);
    });

    it('opens a tunnel for https, verifies the server, and sends its client certificate', async () => {
      const server = createTlsServer(
        { cert: tls('certificate.pem'), key: tls('key.pem') },
        (_request, response) => response.end('safe'),
      );
      const place = await serveProxy(await listen(server));
      const environment = { HTTPS_PROXY: `http://me:p%40ss@${place}` };
      const trusting = await open({ allowPrivateAddresses: true, ca: tls('certificate.pem'), environment });
      expect(await codeOf(trusting('https://index.acme.example/'))).to.match(/fetch failed/); // another name
      const untrusting = await open({ allowPrivateAddresses: true, environment });
      expect(await codeOf(untrusting('https://index.acme.example/'))).to.match(/fetch failed/);
      const credentials = Buffer.from('me:p@ss').toString('base64');
      expect(asked[0]).to.equal(`CONNECT index.acme.example:443 Basic ${credentials}`);
    });

    it('fails when the proxy refuses', async () => {
      const environment = { HTTPS_PROXY: `http://${await serveProxy()}` };
      const fetch = await open({ allowPrivateAddresses: true, environment });
      expect(await codeOf(fetch('https://index.acme.example/'))).to.match(/fetch failed/);
    });

    it('bypasses the proxy for NO_PROXY by the rules of direct connections', async () => {
      const port = await serve();
      const environment = { http_proxy: `http://${await serveProxy()}`, no_proxy: '.acme.example' };
      const fetch = await open({ allowPrivateAddresses: false, environment }, resolvesTo('10.1.2.3'));
      expect(await codeOf(fetch(`http://inner.acme.example:${port}/`))).to.equal('ERR_ADDRESS_FORBIDDEN');
      expect(asked).to.deep.equal([]);
    });

    for (const host of ['10.1.2.3', '0x0a010203', '[::ffff:10.1.2.3]', '169.254.169.254']) {
      it(`does not ask the proxy for ${host}, which is not public`, async () => {
        const environment = { http_proxy: `http://${await serveProxy()}` };
        const fetch = await open({ allowPrivateAddresses: false, environment });
        expect(await codeOf(fetch(`http://${host}/`))).to.equal('ERR_ADDRESS_FORBIDDEN');
        expect(asked).to.deep.equal([]);
      });
    }

    it('refuses a redirect to an address that is not public', async () => {
      const proxy = createServer((request, response) => {
        asked.push(`${request.method} ${request.url}`);
        response.writeHead(302, { location: 'http://10.1.2.3/secret' }).end();
      });
      const environment = { http_proxy: `http://127.0.0.1:${await listen(proxy)}` };
      const fetch = await open({ allowPrivateAddresses: false, environment });
      expect(await codeOf(fetch('http://index.acme.example/'))).to.equal('ERR_ADDRESS_FORBIDDEN');
      expect(asked).to.deep.equal(['GET http://index.acme.example/']);
    });
  });

  for (const { title, ca } of [
    { title: 'no certificate', ca: 'nothing' },
    { title: 'an empty text', ca: '' },
    { title: 'a broken certificate', ca: '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n' },
  ]) {
    it(`refuses ${title} as certificate authorities`, async () => {
      expect(await codeOf(openFetch({ allowPrivateAddresses: true, ca }))).to.equal(
        'ERR_AUTHORITIES_INVALID',
      );
    });
  }

  it('aborts running requests on close, and refuses new ones', async () => {
    const port = await serve(() => undefined); // never answers
    const opened = await openFetch({ allowPrivateAddresses: true });
    const answer = codeOf(opened.fetch(`http://127.0.0.1:${port}/`));
    while (asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await opened.close();
    await opened.close();
    expect(await answer).to.equal('ERR_FETCH_CLOSED');
    expect(await codeOf(opened.fetch(`http://127.0.0.1:${port}/`))).to.equal('ERR_FETCH_CLOSED');
  });

  it('aborts a request when its signal aborts', async () => {
    const port = await serve(() => undefined);
    const fetch = await open({ allowPrivateAddresses: true });
    const signal = AbortSignal.abort(new Error('enough'));
    expect(await codeOf(fetch(`http://127.0.0.1:${port}/`, { signal }))).to.equal('Error: enough');
  });
});

/** Every name has these addresses. */
function resolvesTo(...addresses: readonly string[]): AddressRules {
  const found = addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
  return { resolve: () => Promise.resolve(found), isPublic: isPublicAddress };
}

function only(address: string): (found: string) => boolean {
  return (found) => found === address;
}

async function textOf(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) text += String(chunk);
  return text;
}
