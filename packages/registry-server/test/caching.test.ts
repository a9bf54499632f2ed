import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { namesOf, refusalOf } from './support/responses.ts';
import { MemoryReader, row } from './support/memory-reader.ts';
import { startServer, type TestServer, untappedHooks } from './support/start-server.ts';

const LIST = '/registry/main/v0.1/servers';
const VERSION = `${LIST}/com.acme%2Fnotes/versions/latest`;

function withTag(answer: Response): { headers: Record<string, string> } {
  return { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } };
}

describe('cache of responses', () => {
  let server: TestServer;
  beforeEach(async () => {
    server = await startServer();
  });
  afterEach(() => server.close());

  it('reads the store once for all spellings of the same request', async () => {
    const texts = new Set<string>();
    for (const query of ['', '?limit=30', '?limit=030&search=', '?x=1']) {
      texts.add(await (await server.get(`${LIST}${query}`)).text());
    }
    expect(texts.size).to.equal(1);
    expect(server.reader.calls.list).to.equal(1);
  });

  it('reads the store once for concurrent requests', async () => {
    let open = (): void => undefined;
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    server.reader.gate = () => opened;
    const answers = Array.from({ length: 20 }, () => server.get(LIST));
    await eventually(() => expect(server.reader.calls.catalog).to.equal(20));
    open();
    const texts = await Promise.all(answers.map(async (answer) => (await answer).text()));
    expect(new Set(texts).size).to.equal(1);
    expect(server.reader.calls.list).to.equal(1);
  });

  it('reads the store again after any change of the registry', async () => {
    const before = await server.get(LIST);
    server.reader.set('main', { rows: [row({ name: 'com.acme/new' })] });
    const after = await server.get(LIST);
    expect(after.headers.get('etag')).not.to.equal(before.headers.get('etag'));
    expect(await namesOf(after)).to.deep.equal(['com.acme/new@1.0.0']);
  });

  it('stores separate responses for registries, routes, paths and queries', async () => {
    const paths = [
      LIST,
      `${LIST}?limit=1`,
      VERSION,
      `${LIST}/com.acme%2Fnotes/versions`,
      '/registry/empty/v0.1/servers',
    ];
    const tags = await Promise.all(paths.map(async (path) => (await server.get(path)).headers.get('etag')));
    expect(new Set(tags).size).to.equal(paths.length);
  });

  it('does not cache errors', async () => {
    server.reader.gate = () => Promise.reject(new Error('lost'));
    expect((await server.get(LIST)).status).to.equal(500);
    server.reader.gate = () => Promise.resolve();
    expect((await server.get(LIST)).status).to.equal(200);
  });

  it('does not cache 404 for an absent entry', async () => {
    const path = `${LIST}/com.acme%2Fnone/versions`;
    const answer = await server.get(path);
    expect([answer.status, answer.headers.get('etag')]).to.deep.equal([404, null]);
    await server.get(path);
    expect(server.reader.calls.versions).to.equal(2);
  });

  it('evicts entries when it is full', async () => {
    const small = await startServer({ config: { pageCacheBytes: 5000 } });
    for (let limit = 1; limit <= 9; limit += 1) await small.get(`${LIST}?limit=${limit}`);
    await small.get(`${LIST}?limit=9`);
    expect(small.reader.calls.list).to.equal(9);
    await small.get(`${LIST}?limit=1`);
    expect(small.reader.calls.list).to.equal(10);
    await small.close();
  });

  it('is off › reads the store for each request, and still sends an entity tag', async () => {
    const off = await startServer({ config: { pageCacheBytes: 0 } });
    const answer = await off.get(LIST);
    await off.get(LIST);
    expect(off.reader.calls.list).to.equal(2);
    expect((await off.get(LIST, withTag(answer))).status).to.equal(304);
    await off.close();
  });
});

describe('conditional requests', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  for (const path of [
    LIST,
    VERSION,
    '/registry/main/v0.1/x/dev.toolhive/skills',
    '/registry',
    '/openapi.json',
    '/',
  ]) {
    it(`get 304 without a body from ${path} when nothing changed`, async () => {
      const first = await server.get(path);
      const answer = await server.get(path, withTag(first));
      expect(answer.status).to.equal(304);
      expect(await answer.text()).to.equal('');
      expect(answer.headers.get('etag')).to.equal(first.headers.get('etag'));
      expect(answer.headers.get('cache-control')).to.equal('no-cache');
    });
  }

  it('get 304 without a query of the entries', async () => {
    const first = await server.get(`${LIST}?search=conditional`);
    const before = server.reader.calls.list;
    await server.get(`${LIST}?search=conditional`, withTag(first));
    expect(server.reader.calls.list).to.equal(before);
  });

  it('compare tags weakly, also in a list', async () => {
    const tag = (await server.get(LIST)).headers.get('etag') ?? '';
    expect(tag).to.match(/^W\/"[\w-]+"$/);
    for (const header of [tag.slice(2), `"a", ${tag}, W/"b"`]) {
      expect((await server.get(LIST, { headers: { 'if-none-match': header } })).status).to.equal(304);
    }
    for (const header of ['"a"', '*', 'W/""', tag.slice(3, -1)]) {
      expect((await server.get(LIST, { headers: { 'if-none-match': header } })).status, header).to.equal(200);
    }
  });

  it('get Vary and Cache-Control headers', async () => {
    const answer = await server.get(LIST);
    expect(answer.headers.get('vary')).to.equal('Accept-Encoding, Authorization');
    expect(answer.headers.get('cache-control')).to.equal('no-cache');
  });
});

describe('compression', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  const raw = (target: TestServer, path: string, encoding?: string, method = 'GET') =>
    new Promise<{ readonly encoding: string | undefined; readonly length: number; readonly body: Buffer }>(
      (resolve, reject) => {
        const headers = encoding === undefined ? {} : { 'accept-encoding': encoding };
        const sent = request(`${target.publicUrl}${path}`, { method, headers }, (answer) => {
          const chunks: Buffer[] = [];
          answer.on('data', (chunk: Buffer) => chunks.push(chunk));
          answer.on('end', () => {
            const length = Number(answer.headers['content-length']);
            resolve({ encoding: answer.headers['content-encoding'], length, body: Buffer.concat(chunks) });
          });
        });
        sent.on('error', reject).end();
      },
    );

  it('applies to clients that accept gzip, with one compression per cached response', async () => {
    const plain = await raw(server, LIST);
    const first = await raw(server, LIST, 'gzip, deflate, br');
    const second = await raw(server, LIST, 'gzip');
    expect([plain.encoding, first.encoding, second.encoding]).to.deep.equal([undefined, 'gzip', 'gzip']);
    expect(gunzipSync(first.body).equals(plain.body)).to.equal(true);
    expect(second.body.equals(first.body)).to.equal(true);
    expect(first.length).to.equal(first.body.length).and.to.be.below(plain.length);
  });

  it('gives HEAD the same length as GET', async () => {
    const get = await raw(server, LIST, 'gzip');
    const head = await raw(server, LIST, 'gzip', 'HEAD');
    expect([head.encoding, head.length, head.body.length]).to.deep.equal(['gzip', get.length, 0]);
  });

  for (const encoding of ['identity', 'br', 'gzip;q=0', '*;q=0', '']) {
    it(`is off for Accept-Encoding "${encoding}"`, async () => {
      expect((await raw(server, LIST, encoding)).encoding).to.equal(undefined);
    });
  }

  it('is off for short responses, and when the setting is off', async () => {
    expect((await raw(server, VERSION, 'gzip')).encoding).to.equal(undefined);
    const off = await startServer({ config: { compress: false } });
    expect((await raw(off, LIST, 'gzip')).encoding).to.equal(undefined);
    await off.close();
  });

  it('works without a cache', async () => {
    const off = await startServer({ config: { pageCacheBytes: 0 } });
    const { encoding, body } = await raw(off, LIST, 'gzip');
    expect(encoding).to.equal('gzip');
    expect(gunzipSync(body).toString()).to.include('com.acme/map-0');
    await off.close();
  });
});

describe('hook filterEntries', () => {
  const hiding = (key: (() => string) | undefined) => ({
    ...untappedHooks(),
    filtersEntries: true,
    filterEntries: <E extends { readonly name: string }>(entries: readonly E[]) =>
      Promise.resolve(entries.filter(({ name }) => !name.includes('map'))),
    filterCacheKey: () => key?.(),
  });

  it('filters lists, versions and single versions', async () => {
    const server = await startServer({ hooks: hiding(() => 'a') });
    expect(await namesOf(server.get(LIST))).to.deep.equal([
      'com.acme/notes@1.0.0',
      'com.acme/notes@2.0.0+build.1',
    ]);
    const one = server.get(`${LIST}/com.acme%2Fmap-1/versions/latest`);
    expect(await refusalOf(one)).to.equal('404 ERR_ENTRY_NOT_FOUND');
    await server.close();
  });

  it('shares responses between callers with the same key, which is part of the entity tag', async () => {
    let key = 'a';
    const server = await startServer({ hooks: hiding(() => key) });
    const first = await server.get(LIST);
    await server.get(LIST);
    expect(server.reader.calls.list).to.equal(1);
    key = 'b';
    const second = await server.get(LIST, withTag(first));
    expect([second.status, server.reader.calls.list]).to.deep.equal([200, 2]);
    await server.close();
  });

  it('turns off cache and tag when it returns no key', async () => {
    const server = await startServer({ hooks: hiding(undefined) });
    const first = await server.get(LIST);
    expect(first.headers.get('etag')).to.equal(null);
    await server.get(LIST);
    expect(server.reader.calls.list).to.equal(2);
    await server.close();
  });

  it('refuses the request without a reason when it throws', async () => {
    const hooks = {
      ...hiding(() => 'a'),
      filterEntries: () => Promise.reject(new Error('secret of the plugin')),
    };
    const server = await startServer({ hooks });
    const answer = await server.get(LIST);
    expect(answer.status).to.equal(500);
    expect(await answer.text()).not.to.include('secret');
    await server.close();
  });

  it('separates filtered responses of different registries', async () => {
    const rows = [row({ name: 'com.acme/a' })];
    const reader = new MemoryReader({ one: { rows }, two: { rows } });
    const server = await startServer({ reader, hooks: hiding(() => 'same') });
    const tags = await Promise.all(
      ['one', 'two'].map(async (name) =>
        (await server.get(`/registry/${name}/v0.1/servers`)).headers.get('etag'),
      ),
    );
    expect(new Set(tags).size).to.equal(2);
    await server.close();
  });
});
