import { expect } from 'chai';
import { MemoryReader, row } from './support/memory-reader.ts';
import { json, refusalOf } from './support/responses.ts';
import { startServer, type TestServer } from './support/start-server.ts';

const PUBLISHER = 'io.modelcontextprotocol.registry/publisher-provided';
const NAME = 'com.acme/notes';
const PREFIX = '/registry/main/v0.1/x/dev.portolan/servers/com.acme%2Fnotes/versions';

const search = { name: 'search', description: 'Searches notes.', inputSchema: { type: 'object' } };

function version(text: string, definitions?: object, isLatest = false) {
  const meta = { [PUBLISHER]: { 'dev.portolan': { definitions } } };
  const document = { name: NAME, description: 'Notes', version: text, _meta: meta };
  return row({ name: NAME, version: text, isLatest, document });
}

interface Changes {
  readonly from: object | null;
  readonly to: object;
  readonly class: string;
  readonly compared: readonly string[];
  readonly differences: readonly Readonly<Record<string, unknown>>[];
}

describe('showChanges', () => {
  let server: TestServer;
  before(async () => {
    const reader = new MemoryReader({
      main: {
        rows: [
          version('1.0.0', { tools: [search], prompts: [] }),
          version('2.0.0', {
            tools: [
              { ...search, description: 'Searches.' },
              { ...search, name: 'rm' },
            ],
          }),
          version('3.0.0', undefined, true),
          row({ name: NAME, version: '4.0.0', status: 'deleted', isLatest: false }),
        ],
      },
    });
    server = await startServer({ reader });
  });
  after(() => server.close());
  const changes = async (path: string): Promise<Changes> =>
    await json<Changes>(server.get(`${PREFIX}/${path}`));

  it('returns each difference with its class and fields, compared with the version before', async () => {
    const body = await changes('2.0.0/changes');
    expect(body).to.deep.include({
      from: { version: '1.0.0', definitions: 'portolan' },
      to: { version: '2.0.0', definitions: 'portolan' },
      compared: ['tools'],
      class: 'held',
    });
    expect(body.differences).to.deep.equal([
      { kind: 'tool', name: 'rm', change: 'added', class: 'held', fields: [] },
      {
        kind: 'tool',
        name: 'search',
        change: 'changed',
        class: 'held',
        fields: [{ pointer: '/description', class: 'held' }],
      },
    ]);
  });

  it('compares with the version that the query names, in either direction', async () => {
    const body = await changes('1.0.0/changes?from=2.0.0');
    expect(body.from).to.deep.equal({ version: '2.0.0', definitions: 'portolan' });
    expect(body.differences.map((one) => [one['name'], one['change']])).to.deep.equal([
      ['rm', 'removed'],
      ['search', 'changed'],
    ]);
  });

  it('compares nothing for the first version, and for a version without definitions', async () => {
    expect(await changes('1.0.0/changes')).to.deep.include({ from: null, compared: [], class: 'none' });
    expect(await changes('latest/changes')).to.deep.include({
      from: { version: '2.0.0', definitions: 'portolan' },
      to: { version: '3.0.0', definitions: 'none' },
      compared: [],
      differences: [],
    });
  });

  for (const path of [
    '9.0.0/changes',
    '2.0.0/changes?from=9.0.0',
    '4.0.0/changes',
    '2.0.0/changes?from=4.0.0',
  ])
    it(`responds with 404 to ${path}, of which a version is absent or withdrawn`, async () => {
      expect(await refusalOf(server.get(`${PREFIX}/${path}`))).to.equal('404 ERR_ENTRY_NOT_FOUND');
    });

  it('responds with 304 while nothing has changed', async () => {
    const first = await server.get(`${PREFIX}/2.0.0/changes`);
    await first.text();
    const headers = { 'If-None-Match': first.headers.get('etag') ?? '' };
    expect((await server.get(`${PREFIX}/2.0.0/changes`, { headers })).status).to.equal(304);
  });
});
