import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import type { DocumentQuestion } from '../src/ask-document.ts';
import { askAddress, askDocument, faultIn, openFetch, reasonIn } from '../src/index.ts';

describe('askDocument', () => {
  const servers: Server[] = [];
  let asked: IncomingMessage[];

  beforeEach(() => {
    asked = [];
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  /** The address of a server of its own, and so of an origin of its own. */
  async function serve(answer: RequestListener): Promise<URL> {
    const server = createServer((request, response) => {
      asked.push(request);
      answer(request, response);
    });
    servers.push(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // SAFETY: a listening TCP server has an address with a port.
    return new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/first`);
  }

  const question = (given: Partial<DocumentQuestion> = {}): DocumentQuestion => ({
    fetch,
    timeoutMs: 10_000,
    maxBytes: 1000,
    redirects: { max: 2, refuse: (_from, to) => (to.pathname === '/refused' ? 'it is refused' : undefined) },
    ...given,
  });

  async function faultOf(address: URL, given: Partial<DocumentQuestion> = {}): Promise<unknown> {
    try {
      await askDocument(address, question(given));
    } catch (error) {
      return faultIn(error) ?? error;
    }
    return 'answered';
  }

  it('returns status, type and bytes, whatever the status', async () => {
    const address = await serve((_request, response) => {
      response.writeHead(418, { 'content-type': 'Application/JSON; charset=utf-8' }).end('{"a":1}');
    });
    const { status, type, bytes, address: from } = await askDocument(address, question());
    expect({ status, type, text: bytes.toString(), from: from.href }).to.deep.equal({
      status: 418,
      type: 'application/json',
      text: '{"a":1}',
      from: address.href,
    });
  });

  it('sends method, headers and body', async () => {
    let body = '';
    const address = await serve((request, response) => {
      request.on('data', (chunk) => (body += String(chunk))).on('end', () => response.end());
    });
    await askDocument(address, question({ method: 'POST', headers: { 'x-a': 'b' }, body: 'text' }));
    expect([asked[0]?.method, asked[0]?.headers['x-a'], body]).to.deep.equal(['POST', 'b', 'text']);
  });

  it('does not read an unwanted body', async () => {
    const address = await serve((_request, response) => response.writeHead(404).end('x'.repeat(2000)));
    const { status, bytes } = await askDocument(address, question({ reads: (one) => one === 200 }));
    expect([status, bytes.length]).to.deep.equal([404, 0]);
  });

  it('accepts exactly the maximum number of bytes', async () => {
    const address = await serve((_request, response) => response.end('x'.repeat(1000)));
    expect((await askDocument(address, question())).bytes.length).to.equal(1000);
    expect(await faultOf(address, { maxBytes: 999 })).to.deep.equal({ kind: 'size' });
  });

  describe('redirects', () => {
    for (const status of [301, 302, 303, 307, 308]) {
      it(`follows ${status}`, async () => {
        const address = await serve(({ url }, response) => {
          if (url === '/second') response.end('here');
          else response.writeHead(status, { location: '/second' }).end();
        });
        const answer = await askDocument(address, question());
        expect([answer.bytes.toString(), answer.address.pathname]).to.deep.equal(['here', '/second']);
      });
    }

    it('follows up to the maximum number', async () => {
      const address = await serve(({ url }, response) => {
        const at = Number(/\d+/.exec(url ?? '')?.[0] ?? 0);
        response.writeHead(302, { location: `/${at + 1}` }).end();
      });
      expect(await faultOf(address)).to.deep.equal({ kind: 'redirects' });
      expect(asked.map(({ url }) => url)).to.deep.equal(['/first', '/1', '/2']);
    });

    it('follows none when the caller gives no rules for redirects', async () => {
      const address = await serve((_request, response) => response.writeHead(302, { location: '/b' }).end());
      // SAFETY: of the fields of a question, only this one may be left out here.
      const { redirects: _, ...plain } = question();
      expect((await askDocument(address, plain)).status).to.equal(302);
    });

    it('follows none of a request with side effects', async () => {
      const address = await serve((_request, response) => response.writeHead(307, { location: '/b' }).end());
      expect(await faultOf(address, { method: 'POST', body: 'x' })).to.deep.equal({ kind: 'redirects' });
      expect(asked.length).to.equal(1);
    });

    const nowhere: readonly (readonly [location: string | undefined, leads: boolean, because: string])[] = [
      [undefined, false, ''],
      ['http://[', false, ''],
      ['/refused', true, 'it is refused'],
    ];
    for (const [location, leads, because] of nowhere) {
      it(`follows none to ${location ?? 'a missing address'}`, async () => {
        const address = await serve((_request, response) => {
          response.writeHead(302, location === undefined ? {} : { location }).end();
        });
        const fault = await faultOf(address);
        expect(fault).to.include({ kind: 'redirect', location, because });
        expect(fault)
          .to.have.property('to')
          .satisfies((to: unknown) => to instanceof URL === leads);
        expect(asked.length).to.equal(1);
      });
    }

    it('sends the authorization only to the first origin, also after a redirect back to it', async () => {
      const other = await serve((_request, response) => {
        response.writeHead(302, { location: new URL('/back', first).href }).end();
      });
      const first = await serve(({ url }, response) => {
        if (url === '/back') response.end();
        else response.writeHead(302, { location: other.href }).end();
      });
      await askDocument(first, question({ authorize: ({ pathname }) => `Bearer ${pathname}` }));
      expect(asked.map(({ headers }) => headers.authorization)).to.deep.equal([
        'Bearer /first',
        undefined,
        'Bearer /back',
      ]);
    });

    it('does not send the user name and password of an address', async () => {
      const address = await serve((_request, response) => response.end());
      address.username = 'me';
      expect(await faultOf(address)).to.equal('answered');
      expect(asked.map(({ headers }) => headers.authorization)).to.deep.equal([undefined]);
    });

    it('refuses redirects that contain credentials or have no scheme', async () => {
      let location = '';
      const address = await serve((_request, response) => response.writeHead(302, { location }).end());
      const { host } = address;
      for (const next of [`http://me:secret@${host}/second`, `//${host}/second`, `http://${host}//second`]) {
        location = next;
        expect(await faultOf(address)).to.include({ kind: 'redirect', location, to: undefined });
      }
      expect(asked.length).to.equal(3);
    });
  });

  it('reports a timeout before a response and during one', async () => {
    const silent = await serve(() => undefined);
    expect(await faultOf(silent, { timeoutMs: 20 })).to.deep.equal({ kind: 'time' });
    const slow = await serve((_request, response) => void response.writeHead(200).write('x'));
    expect(await faultOf(slow, { timeoutMs: 50 })).to.deep.equal({ kind: 'time' });
  });

  it('rejects with the reason of its signal', async () => {
    const ended = new AbortController();
    const address = await serve(() => ended.abort(new Error('enough')));
    expect(await faultOf(address, { signal: ended.signal })).to.have.property('message', 'enough');
    expect(await faultOf(address, { signal: ended.signal })).to.have.property('message', 'enough');
    expect(asked.length).to.equal(1);
  });

  it('distinguishes a failed connection from an interrupted one', async () => {
    const gone = await serve((_request, response) => response.destroy());
    expect(await faultOf(gone)).to.include({ kind: 'connection' });
    const broken = await serve((_request, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('x', () => response.destroy());
    });
    expect(await faultOf(broken)).to.include({ kind: 'body' });
  });

  it('reports a forbidden address, also after a redirect', async () => {
    const guarded = await openFetch(
      { allowPrivateAddresses: false },
      { isPublic: (address) => address === '127.0.0.1' },
    );
    try {
      const address = await serve((_request, response) => {
        response.writeHead(302, { location: 'http://169.254.169.254/' }).end();
      });
      const given = { fetch: guarded.fetch };
      const led = await faultOf(address, given);
      expect(led).to.include({ kind: 'address', redirected: true });
      expect(led).to.have.nested.property('cause.code', 'ERR_ADDRESS_FORBIDDEN');
      const named = await faultOf(new URL('http://10.0.0.1/'), given);
      expect(named).to.include({ kind: 'address', redirected: false });
    } finally {
      await guarded.close();
    }
  });
});

describe('askAddress', () => {
  it('cancels a body that is not read', async () => {
    let cancelled = false;
    const body = new ReadableStream({ cancel: () => void (cancelled = true) });
    const answering: typeof fetch = async () => new Response(body);
    const question = { fetch: answering, timeoutMs: 10_000 };
    const status = await askAddress(new URL('http://a.example'), question, async (answer) => answer.status);
    expect([status, cancelled]).to.deep.equal([200, true]);
  });

  it('passes on errors with a code from the callback `accept`, and reports its other errors as a fault', async () => {
    const question = { fetch: async () => new Response('text'), timeoutMs: 10_000 };
    const thrown = async (error: Error): Promise<unknown> => {
      try {
        return await askAddress(new URL('http://a.example'), question, async () => {
          throw error;
        });
      } catch (failed) {
        return failed;
      }
    };
    const known = new PortolanError('ERR_FULL', 'fault', 'It is full.');
    expect(await thrown(known)).to.equal(known);
    const full = new Error('no space left');
    expect(faultIn(await thrown(full))).to.deep.equal({ kind: 'body', cause: full });
  });
});

describe('reasonIn', () => {
  it('returns the message of the innermost error that has one', () => {
    const inner = new Error('connect ECONNREFUSED', { cause: new Error('') });
    expect(reasonIn(new TypeError('fetch failed', { cause: inner }))).to.equal('connect ECONNREFUSED');
    expect(reasonIn('words')).to.equal('words');
  });
});
