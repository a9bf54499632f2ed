import { expect } from 'chai';
import { anonymousPolicy } from '@portolan/authorization';
import { MemoryReader, row } from './support/memory-reader.ts';
import { startServer, type TestServer } from './support/start-server.ts';

const PATH = '/registry/main/v0.1/servers/com.acme%2Fnotes/versions/latest';
const GONE = '/registry/main/v0.1/servers/com.acme%2Fgone/versions/latest';
const notes = (title: string) => row({ name: 'com.acme/notes', document: { name: 'com.acme/notes', title } });

describe('GET of one version with a cached catalog', () => {
  let reader: MemoryReader;
  let server: TestServer;

  beforeEach(async () => {
    reader = new MemoryReader({ main: { rows: [notes('before')] } });
    reader.known = await reader.catalog();
    const access = {
      policy: {
        ...anonymousPolicy,
        decideRegistryAccess: (_caller: unknown, { claims }: { claims: object }) =>
          'org' in claims
            ? ({ allowed: false, because: 'claims-missing' } as const)
            : ({ allowed: true, because: 'claims' } as const),
      },
    };
    server = await startServer({ reader, access });
    reader.calls.catalog = 0;
  });
  afterEach(() => server.close());

  const get = async (path: string, headers: Record<string, string> = {}) => {
    const answer = await server.get(path, { headers });
    const { calls } = reader;
    const asked = calls.catalog;
    calls.catalog = 0;
    return {
      status: answer.status,
      etag: answer.headers.get('etag') ?? '',
      text: await answer.text(),
      asked,
    };
  };

  it('needs no catalog query: the query of the version checks it', async () => {
    const { status, text, asked } = await get(PATH);
    expect([status, asked]).to.deep.equal([200, 0]);
    expect(text).to.contain('before');
  });

  it('queries the catalog before it responds from the cache or with 304', async () => {
    const { etag } = await get(PATH);
    expect(await get(PATH)).to.include({ status: 200, asked: 1, etag });
    expect(await get(PATH, { 'if-none-match': etag })).to.deep.equal({
      status: 304,
      asked: 1,
      etag,
      text: '',
    });
    expect(reader.calls.version).to.equal(1);
  });

  it('reads the version again after a change of the catalog, and never returns the old one', async () => {
    const { etag } = await get(PATH);
    reader.set('main', { rows: [notes('after')] });
    for (const headers of [{}, { 'if-none-match': etag }]) {
      const again = await get(PATH, headers);
      expect([again.status, again.asked]).to.deep.equal([200, 1]);
      expect(again.text).to.contain('after').and.not.contain('before');
      expect(again.etag).not.to.equal(etag);
    }
    const current = (await get(PATH)).etag;
    expect(await get(PATH, { 'if-none-match': current })).to.include({ status: 304, text: '' });
  });

  it('applies opened and closed registries at once', async () => {
    reader.set('main', { rows: [notes('before')], claims: { org: 'acme' } });
    expect((await get(PATH)).status, 'closed since').to.equal(403);
    reader.known = await reader.catalog();
    reader.calls.catalog = 0;
    expect(await get(PATH), 'closed').to.include({ status: 403, asked: 1 });
    reader.set('main', { rows: [notes('open')] });
    const open = await get(PATH);
    expect([open.status, open.asked], 'open since').to.deep.equal([200, 1]);
    expect(open.text).to.contain('open');
  });

  it('responds 404 only when the current catalog confirms it', async () => {
    expect((await get(GONE)).status).to.equal(404);
    reader.set('main', { rows: [row({ name: 'com.acme/gone' })] });
    expect((await get(GONE)).status).to.equal(200);
    const other = PATH.replace('main', 'new');
    expect((await get(other)).status).to.equal(404);
    reader.set('new', { rows: [notes('new')] });
    expect((await get(other)).status).to.equal(200);
  });

  it('retries once, and reports an error of the retry', async () => {
    reader.set('main', { rows: [notes('after')] });
    reader.gate = () => Promise.reject(new Error('lost'));
    expect(await get(PATH)).to.include({ status: 500, asked: 1 });
  });
});
