import { sourceContract } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { apiSource } from '../src/index.ts';
import { block, openSource } from './open-source.ts';
import { readEntries } from './read-entries.ts';
import { changed, row, startStubRegistry, type StubRegistry } from './stub-registry.ts';

const ROWS = [
  row('dev.acme/files', '1.0.0'),
  row('dev.acme/notes', '1.0.0'),
  row('dev.acme/notes', '2.0.0'),
  row('dev.acme/search', '0.1.0'),
  row('dev.acme/time', '1.0.0'),
];

/** What a source yields, but for what it says of its parts and where it goes on. */
async function entriesOf(config: Parameters<typeof openSource>[0]) {
  const items = await readEntries(openSource(config).source);
  return items.filter((item) => 'document' in item || 'skipped' in item);
}

describe('api source', () => {
  let stub: StubRegistry;
  let revision = 0;

  beforeEach(async () => {
    stub = await startStubRegistry();
    stub.rows = ROWS;
  });
  afterEach(() => stub.close());

  sourceContract({
    name: 'api',
    kind: apiSource,
    blocks: [block({ endpoint: 'https://registry.acme.example/registry/main' })],
    create: (context) => apiSource.create(block({ endpoint: stub.url, retries: 0 }), context),
    entries: ROWS.map((one) => ({ type: 'server', document: Reflect.get(one, 'server'), scope: 'servers' })),
    change: () => {
      revision += 1;
      stub.rows = [...stub.rows, changed(row('dev.acme/zebra', `1.0.${revision}`))];
    },
    spoil: () => {
      stub.instead = (_request, response) => {
        response.writeHead(500).end('broken');
        return true;
      };
    },
  });

  it('requests one page at a time, and passes the cursor on unchanged', async () => {
    stub.instead = (request, response) => {
      const isFirst = !request.url?.includes('cursor');
      const rows = ROWS.slice(...(isFirst ? [0, 2] : [2]));
      const metadata = isFirst ? { count: 2, nextCursor: 'dev.acme/notes:1.0.0+b&=#' } : { count: 3 };
      response.end(JSON.stringify({ servers: rows, metadata }));
      return true;
    };
    expect(await entriesOf({ endpoint: `${stub.url}/`, types: ['server'] })).to.have.lengthOf(5);
    expect(stub.requests.map(({ url }) => url)).to.deep.equal([
      '/base/v0.1/servers?limit=1&include_deleted=true',
      '/base/v0.1/servers?limit=2&include_deleted=true',
      '/base/v0.1/servers?limit=2&cursor=dev.acme%2Fnotes%3A1.0.0%2Bb%26%3D%23&include_deleted=true',
    ]);
  });

  it('requests the next page only after the rows of this one were consumed (reference 888)', async () => {
    let taken = 0;
    const { source } = openSource({ endpoint: stub.url, types: ['server'] });
    for await (const item of source.readEntries(new AbortController().signal)) {
      if (!('document' in item)) continue;
      expect(stub.requests).to.have.lengthOf(Math.floor(taken / 2) + 2);
      taken += 1;
    }
    expect(taken).to.equal(5);
  });

  it('uses v0 when the registry has no v0.1', async () => {
    stub.versions = ['v0'];
    expect(await entriesOf({ endpoint: stub.url, types: ['server'] })).to.have.lengthOf(5);
    expect(stub.requests.map(({ url }) => url?.split('?')[0])).to.deep.equal([
      '/base/v0.1/servers',
      '/base/v0/servers',
      '/base/v0/servers',
      '/base/v0/servers',
      '/base/v0/servers',
    ]);
  });

  // The reference asks for `/openapi.yaml` first, and cannot read another one of its own kind (registry-api.md, 12.4).
  it('requests only the list endpoints', async () => {
    await readEntries(openSource({ endpoint: stub.url }).source);
    expect(stub.requests.filter(({ url }) => !/\/(servers|skills|plugins)\?/.test(url ?? ''))).to.deep.equal(
      [],
    );
  });

  // Fault of the reference: upstream status and dates are dropped, and withdrawn versions become ordinary ones
  // (registry-api.md, 12.4).
  it("yields the registry's metadata of each version, including deleted ones, and the origin registries (reference 262)", async () => {
    const official = {
      status: 'deleted',
      statusMessage: 'Gone',
      updatedAt: '2026-01-12T08:30:00Z',
      isLatest: false,
    };
    const way = (version: string, meta: unknown): object => ({
      ...row('dev.acme/a', version),
      _meta: { 'portolan.dev': meta },
    });
    stub.rows = [
      row('dev.acme/files', '1.0.0', official),
      row('dev.acme/notes', '1.0.0'),
      way('1.0.0', { origin: 'first', via: ['second', 'third'] }),
      way('1.1.0', { origin: 'first' }),
      way('1.2.0', { via: ['second'] }),
      { server: Reflect.get(row('dev.acme/time', '1.0.0'), 'server') },
    ];
    const items = await entriesOf({ endpoint: stub.url });
    const carried = items.map((item) => ('document' in item ? [item.official, item.path] : []));
    expect(carried).to.deep.equal([
      [official, undefined],
      [undefined, undefined],
      [undefined, ['first', 'second', 'third']],
      [undefined, ['first']],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('throws ERR_SOURCE_RESPONSE when the list of the first page is null', async () => {
    stub.instead = (_request, response) => {
      response.end(JSON.stringify({ servers: null, metadata: {} }));
      return true;
    };
    const failure = await entriesOf({ endpoint: stub.url, types: ['server'] }).catch(
      (error: unknown) => error,
    );
    expect(failure).to.include({ code: 'ERR_SOURCE_RESPONSE' });
  });

  it('accepts a list in the format before September 2025, an empty one, and null', async () => {
    stub.instead = (request, response) => {
      const isFirst = !request.url?.includes('cursor');
      response.end(
        JSON.stringify(
          isFirst
            ? { servers: [ROWS[0]], metadata: { next_cursor: 'a' } }
            : { servers: null, metadata: null },
        ),
      );
      return true;
    };
    expect(await entriesOf({ endpoint: stub.url, types: ['server'] })).to.have.lengthOf(1);
  });

  it('skips a row without a document, and yields one without a name', async () => {
    const nameless = [{ server: { version: '1.0.0' } }, { server: { version: '1.0.0' } }];
    stub.rows = [ROWS[0] ?? {}, { server: 'no map' }, ...nameless, ...ROWS.slice(1)];
    const items = await entriesOf({ endpoint: stub.url });
    expect(items.filter((item) => 'skipped' in item)).to.deep.equal([
      { skipped: 'servers[1] of page 1', because: 'There is no object `server` in it.', scope: 'servers' },
    ]);
    expect(items).to.have.lengthOf(8);
  });
});
