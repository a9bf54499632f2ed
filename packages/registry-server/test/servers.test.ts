import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { versionWithMeta } from '../src/responses/version-with-meta.ts';
import {
  namesOf,
  json,
  refusalOf,
  type ErrorBody,
  type ServerList,
  type ServerResponse,
} from './support/responses.ts';
import { MemoryReader, row } from './support/memory-reader.ts';
import { startServer, type TestServer } from './support/start-server.ts';

const LIST = '/registry/main/v0.1/servers';
const OFFICIAL = 'io.modelcontextprotocol.registry/official';

describe('listServers', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  it('lists all versions except withdrawn ones, by name and version', async () => {
    expect(await namesOf(server.get(`${LIST}?search=NOTES`))).to.deep.equal([
      'com.acme/notes@1.0.0',
      'com.acme/notes@2.0.0+build.1',
    ]);
  });

  it('returns every document byte by byte as stored, with the official metadata next to its _meta', async () => {
    const text = await (await server.get(`${LIST}?search=%C3%BCber`)).text();
    expect(text).to.equal(
      '{"servers":[{"server":{"$schema":"https://schemas.acme.example/server.json","name":"com.acme/notes",' +
        '"description":"Notes über <alles> & mehr","version":"2.0.0+build.1",' +
        '"icons":[{"src":"https://acme.example/icon.png"}],"_meta":{}},' +
        `"_meta":{"${OFFICIAL}":{"status":"active","statusChangedAt":"2026-01-10T12:00:00.000Z",` +
        '"publishedAt":"2026-01-10T12:00:00.000Z","updatedAt":"2026-03-01T00:00:00.000Z","isLatest":true},' +
        '"portolan.dev":{"origin":"here"}}}],' +
        '"metadata":{"count":1}}\n',
    );
  });

  for (const path of ['/registry/main//v0.1/servers', '/registry/main/v0.1///servers']) {
    it(`responds at ${path} as at the path with single slashes (editor 283525)`, async () => {
      const [doubled, single] = await Promise.all([server.get(path), server.get(LIST)]);
      expect(doubled.status).to.equal(200);
      expect(await doubled.text()).to.equal(await single.text());
    });
  }

  it('returns the registries that a version came through', () => {
    const passedOn = { ...row({ name: 'dev.acme/notes' }), path: ['first', 'second', 'here'] };
    expect(JSON.parse(versionWithMeta(passedOn))['_meta']['portolan.dev']).to.deep.equal({
      origin: 'first',
      via: ['second', 'here'],
    });
  });

  it('returns the message of a status', async () => {
    const { servers } = await json<ServerList>(server.get(`${LIST}?version=1.0.0&search=notes`));
    expect(servers[0]?.['_meta'][OFFICIAL]).to.include({
      status: 'deprecated',
      statusMessage: 'Use "2"',
      isLatest: false,
    });
  });

  it('returns an empty list for an empty registry and for a search without matches', async () => {
    const nothing = '{"servers":[],"metadata":{"count":0}}\n';
    expect(await (await server.get('/registry/empty/v0.1/servers')).text()).to.equal(nothing);
    expect(await (await server.get(`${LIST}?search=nothing`)).text()).to.equal(nothing);
  });

  const filters = [
    { query: 'version=latest', count: 8 },
    { query: 'version=1.0.0', count: 8 },
    { query: 'include_deleted=true', count: 10 },
    { query: 'include_deleted=false', count: 9 },
    { query: 'updated_since=2026-02-01T00:00:00Z', count: 2 },
    { query: 'updated_since=2026-02-01T01:00:00%2B01:00', count: 2 },
    { query: 'updated_since=2026-03-01T00:00:00Z', count: 1 },
    { query: 'updated_since=2026-02-01T00:00:00Z&include_deleted=false', count: 1 },
    { query: 'search=&version=&cursor=&updated_since=&limit=', count: 9 },
    { query: 'unknown=1&unknown=2', count: 9 },
    { query: 'limit=4', count: 4 },
    { query: 'limit=0004', count: 4 },
    { query: 'limit=1000000000', count: 9 },
  ];
  for (const { query, count } of filters) {
    it(`returns ${count} rows for ${query}`, async () => {
      const { servers, metadata } = await json<ServerList>(server.get(`${LIST}?${query}`));
      expect([servers.length, metadata.count]).to.deep.equal([count, count]);
    });
  }

  it('returns at most 1000 rows, and 30 by default', async () => {
    await server.get(`${LIST}?limit=1000000000&search=a`);
    await server.get(`${LIST}?search=a`);
    expect(server.reader.queries.slice(-2).map(({ limit }) => limit)).to.deep.equal([1000, 30]);
  });

  const refused = [
    'limit=0',
    'limit=-1',
    'limit=1e9',
    'limit=abc',
    'limit=1.5',
    'limit=%2B5',
    'limit=1&limit=2',
    'updated_since=yesterday',
    'updated_since=2026-02-30T00:00:00Z',
    'updated_since=2026-02-01T24:00:00Z',
    'updated_since=2026-02-01',
    'include_deleted=yes',
    'search=%E0%A4%A',
    'search=%00',
    `search=${'x'.repeat(513)}`,
    'version=1%200',
    'cursor=*',
  ];
  for (const query of refused) {
    it(`rejects ${query.slice(0, 40)}, and names the accepted values`, async () => {
      const answer = await server.get(`${LIST}?${query}`);
      const { error, hint } = await json<ErrorBody>(answer.clone());
      expect(await refusalOf(answer)).to.equal('400 ERR_PARAMETER_INVALID');
      expect(error).to.include(`"${query.split('=', 1)[0]}"`);
      expect(hint).to.match(
        /^Accepted: limit .*; cursor .*; search .*; updated_since .*; version .*; include_deleted/,
      );
    });
  }

  it('names all invalid parameters at once', async () => {
    const { error } = await json<ErrorBody>(server.get(`${LIST}?limit=0&include_deleted=1&updated_since=x`));
    expect(error).to.include('"limit" is "0"; expected a whole number from 1 (more counts as 1000).');
    expect(error).to.include('"include_deleted" is "1"; expected true or false.');
    expect(error).to.include('"updated_since" is "x"; expected an RFC 3339 time');
  });

  it('responds below /v0 as below /v0.1, and with a slash at the end', async () => {
    const expected = await (await server.get(LIST)).text();
    expect(await (await server.get('/registry/main/v0/servers')).text()).to.equal(expected);
    expect(await (await server.get(`${LIST}/`)).text()).to.equal(expected);
  });

  it('rejects an impossible registry name', async () => {
    for (const name of ['a%20b', '%00', 'x'.repeat(256)]) {
      const answer = server.get(`/registry/${name}/v0.1/servers`);
      expect(await refusalOf(answer)).to.equal('400 ERR_PARAMETER_INVALID');
    }
  });

  it('responds 404 for an unknown registry', async () => {
    expect(await refusalOf(server.get('/registry/other/v0.1/servers'))).to.equal(
      '404 ERR_REGISTRY_NOT_FOUND',
    );
    expect(await refusalOf(server.get('/Registry/main/v0.1/servers'))).to.equal('404 ERR_ROUTE_NOT_FOUND');
  });
});

describe('cursors of listServers', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  const follow = async (first: string, next: (cursor: string) => string): Promise<readonly string[]> => {
    const names: string[] = [];
    for (let path: string | undefined = first; path !== undefined; ) {
      const page: ServerList = await json<ServerList>(server.get(path));
      names.push(...page.servers.map((item) => `${item.server.name}@${item.server.version}`));
      const { nextCursor } = page.metadata;
      path = nextCursor === undefined ? undefined : next(nextCursor);
    }
    return names;
  };

  it('return each row once, also without percent-encoding', async () => {
    const all = await namesOf(server.get(LIST));
    const seen = await follow(`${LIST}?limit=2`, (cursor) => {
      expect(cursor).to.match(/^[A-Za-z0-9_-]+$/);
      return `${LIST}?limit=2&cursor=${cursor}`;
    });
    expect(seen).to.deep.equal(all);
  });

  it('include the filters that a client omits on later pages', async () => {
    const seen = await follow(
      `${LIST}?limit=2&version=latest&search=map-`,
      (cursor) => `${LIST}?limit=2&version=latest&cursor=${cursor}`,
    );
    expect(seen).to.deep.equal(Array.from({ length: 7 }, (_, index) => `com.acme/map-${index}@1.0.0`));
  });

  it('include an instant and the flag for withdrawn rows', async () => {
    const since = 'updated_since=2026-02-01T00:00:00Z';
    const seen = await follow(`${LIST}?limit=1&${since}`, (cursor) => `${LIST}?limit=1&cursor=${cursor}`);
    expect(seen).to.deep.equal(['com.acme/gone@1.0.0', 'com.acme/notes@2.0.0+build.1']);
  });

  it('work with another limit and with repeated filters', async () => {
    const { metadata } = await json<ServerList>(server.get(`${LIST}?limit=2&search=map-`));
    const names = await namesOf(server.get(`${LIST}?limit=3&search=map-&cursor=${metadata.nextCursor}`));
    expect(names).to.have.length(3);
  });

  const contradictions = ['search=other', 'search=MAP-', 'version=latest', 'include_deleted=true'];
  for (const other of contradictions) {
    it(`are rejected with ${other}, another filter`, async () => {
      const { metadata } = await json<ServerList>(server.get(`${LIST}?limit=2&search=map-`));
      const answer = server.get(`${LIST}?limit=2&${other}&cursor=${metadata.nextCursor}`);
      expect(await refusalOf(answer)).to.equal('400 ERR_CURSOR_INVALID');
    });
  }

  it('are rejected with one changed character', async () => {
    const { metadata } = await json<ServerList>(server.get(`${LIST}?limit=2`));
    const cursor = metadata.nextCursor ?? '';
    for (let at = 0; at < cursor.length; at += 1) {
      const changed = `${cursor.slice(0, at)}${cursor[at] === 'A' ? 'B' : 'A'}${cursor.slice(at + 1)}`;
      const answer = await server.get(`${LIST}?cursor=${changed}`);
      expect(answer.status, `${at}: ${changed}`).to.equal(400);
    }
  });

  it('are rejected in another registry and another list', async () => {
    const reader = new MemoryReader({ one: { rows: sample() }, two: { rows: sample() } });
    const both = await startServer({ reader });
    const { metadata } = await json<ServerList>(both.get('/registry/one/v0.1/servers?limit=1'));
    const query = `cursor=${metadata.nextCursor}`;
    expect(await refusalOf(both.get(`/registry/two/v0.1/servers?${query}`))).to.equal(
      '400 ERR_CURSOR_INVALID',
    );
    const skills = both.get(`/registry/one/v0.1/x/dev.toolhive/skills?${query}`);
    expect(await refusalOf(skills)).to.equal('400 ERR_CURSOR_INVALID');
    await both.close();
  });

  it('of the reference server are accepted, escaped or not', async () => {
    const cursor = Buffer.from('com.acme/map-6,1.0.0').toString('base64');
    expect(cursor).to.match(/=$/);
    const expected = ['com.acme/notes@1.0.0', 'com.acme/notes@2.0.0+build.1'];
    expect(await namesOf(server.get(`${LIST}?cursor=${encodeURIComponent(cursor)}`))).to.deep.equal(expected);
    expect(await namesOf(server.get(`${LIST}?cursor=${cursor}`))).to.deep.equal(expected);
  });

  it('continue when their row disappears', async () => {
    const reader = new MemoryReader({ main: { rows: sample() } });
    const changing = await startServer({ reader });
    const { metadata } = await json<ServerList>(changing.get(`${LIST}?limit=1`));
    reader.set('main', { rows: sample().slice(1) });
    expect(await namesOf(changing.get(`${LIST}?cursor=${metadata.nextCursor}`))).to.deep.equal([
      'com.acme/b@1.0.0',
    ]);
    await changing.close();
  });
});

function sample() {
  return [row({ name: 'com.acme/a' }), row({ name: 'com.acme/b' })];
}

describe('listServerVersions and showServerVersion', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  it('list versions, newest first', async () => {
    const names = await namesOf(server.get(`${LIST}/com.acme%2Fnotes/versions`));
    expect(names).to.deep.equal(['com.acme/notes@2.0.0+build.1', 'com.acme/notes@1.0.0']);
  });

  const found = [
    { path: 'com.acme%2Fnotes/versions/latest', version: '2.0.0+build.1' },
    { path: 'com.acme%2Fnotes/versions/2.0.0%2Bbuild.1', version: '2.0.0+build.1' },
    { path: 'com.acme%2Fnotes/versions/2.0.0+build.1', version: '2.0.0+build.1' },
    { path: 'com.acme%2fnotes/versions/1.0.0', version: '1.0.0' },
    { path: 'com.acme%2Fnotes/versions/1.0.0/', version: '1.0.0' },
    { path: 'com.acme%2Fgone/versions/latest?include_deleted=true', version: '1.0.0' },
    // As a proxy passes it on that decodes what it passes on.
    { path: 'com.acme/notes/versions/latest', version: '2.0.0+build.1' },
    { path: 'com.acme/notes/versions/1.0.0/', version: '1.0.0' },
  ];
  for (const { path, version } of found) {
    it(`return ${path}`, async () => {
      const answer = await server.get(`${LIST}/${path}`);
      expect(answer.status).to.equal(200);
      const { server: document } = await json<ServerResponse>(answer);
      expect(document.version).to.equal(version);
    });
  }

  it('accept a name whose slash was decoded by a proxy', async () => {
    const names = await namesOf(server.get(`${LIST}/com.acme/notes/versions`));
    expect(names).to.deep.equal(['com.acme/notes@2.0.0+build.1', 'com.acme/notes@1.0.0']);
    const { records } = server;
    await server.get(`${LIST}/com.acme/notes/versions/1.0.0`);
    const last = await eventually(() => {
      const record = records.find(({ path }) => path.endsWith('/com.acme/notes/versions/1.0.0'));
      if (record === undefined) throw new Error('nothing is recorded yet');
      return record;
    });
    expect(last.target).to.include({ resourceName: 'com.acme%2Fnotes', version: '1.0.0' });
    expect(last.route).to.equal('/registry/{registryName}/v0.1/servers/{serverName}/versions/{version}');
  });

  const missing = [
    'com.acme%2Fnotes/versions/9.9.9',
    'com.acme%2Fnone/versions/latest',
    'com.acme%2Fnone/versions',
    'com.acme%2Fgone/versions',
    'com.acme%2Fgone/versions/latest',
    'a%2Fb/versions/latest',
    'com.acme/none/versions/latest',
    'com.acme/gone/versions',
  ];
  for (const path of missing) {
    it(`respond 404 to ${path}`, async () => {
      expect(await refusalOf(server.get(`${LIST}/${path}`))).to.equal('404 ERR_ENTRY_NOT_FOUND');
    });
  }

  const malformed = [
    { name: 'noslash', why: 'has no slash' },
    { name: 'a%2Fb%2Fc', why: 'has two slashes' },
    { name: '..%2Fb', why: 'has dots for a namespace' },
    { name: 'a%2F..', why: 'has dots for a name' },
    { name: 'com.acme%2Fno%20tes', why: 'has a space' },
    { name: 'com.acme%2Fnotes%00', why: 'has a NUL' },
    { name: 'com.acme%2Fnotes%0A', why: 'has a line feed' },
    { name: 'com.acme%252Fnotes', why: 'is escaped twice' },
    { name: '%2Fnotes', why: 'has no namespace' },
    { name: `com.acme%2F${'x'.repeat(10_000)}`, why: 'is 10 kB long' },
  ];
  for (const { name, why } of malformed) {
    it(`reject a name that ${why}`, async () => {
      for (const path of [`${LIST}/${name}/versions`, `${LIST}/${name}/versions/latest`]) {
        expect(await refusalOf(server.get(path))).to.equal('400 ERR_PARAMETER_INVALID');
      }
    });
  }

  it('reject a version with white space or of excessive length', async () => {
    const path = `${LIST}/com.acme%2Fnotes/versions`;
    expect(await refusalOf(server.get(`${path}/1%200`))).to.equal('400 ERR_PARAMETER_INVALID');
    expect(await refusalOf(server.get(`${path}/${'1'.repeat(256)}`))).to.equal('400 ERR_PARAMETER_INVALID');
  });

  it('reject a malformed escape', async () => {
    expect(await refusalOf(server.get(`${LIST}/com.acme%2/versions`))).to.equal('400 ERR_TARGET_MALFORMED');
    expect(await refusalOf(server.get(`${LIST}/%E0%A4%A/versions`))).to.equal('400 ERR_TARGET_MALFORMED');
  });

  it('do not match an unescaped slash in a name without /versions', async () => {
    expect(await refusalOf(server.get(`${LIST}/com.acme/notes`))).to.equal('404 ERR_ROUTE_NOT_FOUND');
  });
});
