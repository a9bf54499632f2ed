import type { RequestListener } from 'node:http';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Source } from '@portolan/plugin-api';
import { inTime, leavesNothingOpen, readContext, sourceContract } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { fileSource } from '../src/index.ts';
import { parseCatalogueUrl } from '../src/parse-catalogue-url.ts';
import { UrlSource } from '../src/url-source.ts';
import { catalogueText, ENTRIES } from './catalogue-text.ts';
import { faultOf } from './fault-of.ts';
import { type FileServer, startFileServer } from './file-server.ts';
import { readEntries } from './read-entries.ts';

const toPlain: typeof fetch = async () =>
  new Response(null, { status: 302, headers: { location: 'http://files.acme.example/' } });

describe('file source with url', () => {
  const { signal } = new AbortController();
  let server: FileServer;
  let revision: number;
  const opened: UrlSource[] = [];
  /** What the server does; a test puts its own here. */
  let answer: RequestListener;

  beforeEach(async () => {
    revision = 0;
    answer = withEtag;
    server = await startFileServer((request, response) => answer(request, response));
  });
  afterEach(async () => {
    for (const source of opened.splice(0)) await source.close();
    await server.close();
  });

  const withEtag: RequestListener = (request, response) => {
    const etag = `"r${revision}"`;
    response.setHeader('etag', etag);
    if (request.headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.end(catalogueText(revision));
  };

  function openSource(
    path = '/catalogue.json',
    options: { timeoutMs?: number; maxBytes?: number } = {},
  ): UrlSource {
    const source = new UrlSource(parseCatalogueUrl(server.url + path), {
      fetch,
      timeoutMs: 5000,
      ...options,
    });
    opened.push(source);
    return source;
  }

  async function sync(source: Source): Promise<string | undefined> {
    const fingerprint = await source.fingerprint?.(signal, readContext());
    await readEntries(source);
    return fingerprint;
  }

  sourceContract({
    name: 'file with url',
    kind: fileSource,
    create: (context) => fileSource.create({ url: `${server.url}/catalogue.json` }, context),
    entries: ENTRIES,
    change: () => {
      revision += 1;
    },
    spoil: () => {
      answer = (_request, response) => response.writeHead(500).end('broken');
    },
  });

  it('sends one request for a fingerprint and the read after it', async () => {
    await sync(openSource());
    expect(server.requests).to.have.lengthOf(1);
  });

  it('downloads nothing while the server confirms the cached document', async () => {
    const source = openSource();
    const first = await sync(source);
    expect(await source.fingerprint(signal)).to.equal(first);
    expect(server.requests.at(-1)?.headers).to.include({ 'if-none-match': '"r0"' });
    expect(server.requests).to.have.lengthOf(2);
  });

  it('sends If-Modified-Since when the server gives a date', async () => {
    const date = 'Thu, 15 Jan 2026 08:00:00 GMT';
    answer = (request, response) => {
      response.setHeader('last-modified', date);
      if (request.headers['if-modified-since'] === date) response.writeHead(304).end();
      else response.end(catalogueText(0));
    };
    const source = openSource();
    expect(await sync(source)).to.equal(await source.fingerprint(signal));
    expect(server.requests).to.have.lengthOf(2);
  });

  it('reads the whole document again on demand, although nothing changed', async () => {
    const source = openSource();
    await sync(source);
    await source.fingerprint(signal);
    expect(await readEntries(source)).to.have.lengthOf(3);
    expect(server.requests.at(-1)?.headers).to.not.have.property('if-none-match');
  });

  it('recognizes an unchanged document without cache headers', async () => {
    answer = (_request, response) => response.end(catalogueText(revision));
    const source = openSource();
    const first = await sync(source);
    expect(await source.fingerprint(signal)).to.equal(first);
    revision = 1;
    expect(await source.fingerprint(signal)).to.not.equal(first);
  });

  it('reads the bytes of the fingerprint, also when the server has new ones', async () => {
    const source = openSource();
    await source.fingerprint(signal);
    revision = 1;
    const items = await readEntries(source);
    expect(items.map((item) => 'document' in item && item.document)).to.deep.equal(
      ENTRIES.map((entry) => entry.document),
    );
  });

  it('fails when the server returns other bytes than it confirmed', async () => {
    const source = openSource();
    await sync(source);
    await source.fingerprint(signal);
    revision = 1;
    expect((await faultOf(() => readEntries(source))).code).to.equal('ERR_SOURCE_FILE_CHANGED');
    expect(await readEntries(source), 'the next time').to.have.lengthOf(3);
  });

  it('forgets an incomplete download', async () => {
    const whole = catalogueText(0);
    let breaks = true;
    answer = (_request, response) => {
      response.setHeader('etag', '"r0"');
      response.setHeader('content-length', Buffer.byteLength(whole));
      if (!breaks) {
        response.end(whole);
        return;
      }
      response.write(whole.slice(0, 20), () => response.destroy());
    };
    const source = openSource();
    expect((await faultOf(() => source.fingerprint(signal))).code).to.equal('ERR_SOURCE_UNREACHABLE');
    breaks = false;
    await sync(source);
    expect(server.requests.at(-1)?.headers).to.not.have.property('if-none-match');
  });

  it('reads a compressed document', async () => {
    const { gzipSync } = await import('node:zlib');
    answer = (_request, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(gzipSync(catalogueText(0)));
    };
    expect(await readEntries(openSource())).to.have.lengthOf(3);
  });

  it('leaves no temporary files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'portolan-tmp-'));
    const before = process.env['TMPDIR'];
    process.env['TMPDIR'] = folder;
    try {
      const source = openSource();
      await source.fingerprint(signal);
      expect(await readdir(folder)).to.deep.equal([]);
      await source.close();
      await rm(folder, { recursive: true });
      const fault = await faultOf(() => readEntries(openSource()));
      expect(fault.code).to.equal('ERR_SOURCE_FILE_UNREADABLE');
      expect(fault.hint).to.include('TMPDIR');
    } finally {
      if (before === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = before;
    }
  });

  describe('redirects', () => {
    it('follows a few, and sends credentials only to the first origin', async () => {
      const other = await startFileServer((request, response) => {
        if (request.url === '/back') response.writeHead(307, { location: `${server.url}/final` }).end();
      });
      answer = (request, response) => {
        if (request.url === '/final') withEtag(request, response);
        else response.writeHead(302, { location: `${other.url}/back` }).end();
      };
      const url = server.url.replace('//', '//ada:s%3Ccret@');
      const source = new UrlSource(parseCatalogueUrl(`${url}/start`), { fetch, timeoutMs: 5000 });
      const items = await readEntries(source).finally(() => other.close());
      expect(items).to.have.lengthOf(3);
      const basic = `Basic ${Buffer.from('ada:s<cret').toString('base64')}`;
      expect(server.requests.map((request) => request.headers.authorization)).to.deep.equal([basic, basic]);
      expect(other.requests.map((request) => request.headers.authorization)).to.deep.equal([undefined]);
    });

    it('follows a relative one', async () => {
      answer = (request, response) => {
        if (request.url === '/a/final') withEtag(request, response);
        else response.writeHead(301, { location: 'final' }).end();
      };
      expect(await readEntries(openSource('/a/start'))).to.have.lengthOf(3);
    });

    const refused = [
      { title: 'without end', location: '/again', message: '`url` redirects more than 5 times.' },
      {
        title: 'to a file',
        location: 'file:///etc/passwd',
        message: '`url` redirects to an address that begins with file:, which is not followed.',
      },
      {
        title: 'to no address',
        location: 'http://[',
        message: '`url` redirects to something that is not an address, which is not followed.',
      },
      {
        title: 'nowhere',
        location: undefined,
        message: '`url` redirects without saying where to, which is not followed.',
      },
    ];
    for (const { title, location, message } of refused) {
      it(`refuses those ${title}`, async () => {
        answer = (_request, response) =>
          response.writeHead(302, location === undefined ? {} : { location }).end();
        const fault = await faultOf(() => readEntries(openSource()));
        expect(fault).to.include({ code: 'ERR_SOURCE_REDIRECT', message });
      });
    }

    it('refuses those from https to http', async () => {
      const target = parseCatalogueUrl('https://files.acme.example/');
      const fault = await faultOf(() =>
        readEntries(new UrlSource(target, { fetch: toPlain, timeoutMs: 5000 })),
      );
      expect(fault.message).to.equal('`url` redirects from https to http, which is not followed.');
    });
  });

  describe('failures', () => {
    for (const status of [204, 206, 400, 401, 403, 404, 429, 500, 503]) {
      it(`reports status ${status}, without host or query in the message`, async () => {
        answer = (_request, response) => response.writeHead(status).end();
        const fault = await faultOf(() => readEntries(openSource('/internal/catalogue.json?token=s3cret')));
        expect(fault.code).to.equal('ERR_SOURCE_STATUS');
        expect(fault.message).to.equal(
          `The server of \`url\` responded with status ${status}; expected 200.`,
        );
        expect(`${fault.message} ${fault.hint}`).to.not.match(/s3cret|127\.0\.0\.1|internal/);
      });
    }

    it('reports an unexpected status 304', async () => {
      answer = (_request, response) => response.writeHead(304).end();
      const fault = await faultOf(() => readEntries(openSource()));
      expect(fault.message).to.include('status 304 to an unconditional request');
    });

    it('reports a document that is too large', async () => {
      const fault = await faultOf(() => readEntries(openSource('/', { maxBytes: 100 })));
      expect(fault).to.include({
        code: 'ERR_SOURCE_TOO_LARGE',
        message: 'The document behind `url` is larger than 100 bytes.',
      });
    });

    it('reports an empty document', async () => {
      answer = (_request, response) => response.end();
      expect((await faultOf(() => readEntries(openSource()))).code).to.equal('ERR_CATALOGUE_FORMAT');
    });

    it('reports an unreachable server', async () => {
      const gone = await startFileServer(() => undefined);
      await gone.close();
      const source = new UrlSource(parseCatalogueUrl(`${gone.url}/x?token=s3cret`), {
        fetch,
        timeoutMs: 5000,
      });
      const fault = await faultOf(() => readEntries(source));
      expect(fault.code).to.equal('ERR_SOURCE_UNREACHABLE');
      expect(fault.message).to.equal('The download from `url` failed (ECONNREFUSED).');
    });

    const slow: readonly { title: string; listener: RequestListener }[] = [
      { title: 'never answers', listener: () => undefined },
      {
        title: 'stops in the middle of the document',
        listener: (_request, response) => {
          response.write('{"data":');
        },
      },
    ];
    for (const { title, listener } of slow) {
      it(`fails when the server ${title}`, async () => {
        answer = listener;
        await leavesNothingOpen(async () => {
          const fault = await faultOf(() => readEntries(openSource('/', { timeoutMs: 60 })));
          expect(fault).to.include({
            code: 'ERR_SOURCE_TIMEOUT',
            message: 'The download from `url` was not complete after 0.06 s.',
          });
        });
      });

      it(`ends soon after an abort while the server ${title}`, async () => {
        const stop = new AbortController();
        answer = (request, response) => {
          listener(request, response);
          stop.abort();
        };
        await leavesNothingOpen(async () => {
          const reading = readEntries(openSource(), stop.signal).catch((error: unknown) => error);
          expect(await inTime('the end of the download', reading)).to.have.property('name', 'AbortError');
        });
      });
    }
  });
});
