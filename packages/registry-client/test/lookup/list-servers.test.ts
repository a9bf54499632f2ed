import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { describeRegistryServer } from '../../src/lookup/describe-registry-server.ts';
import { listServers, searchServers } from '../../src/lookup/list-servers.ts';
import { caught } from '../../../../test/support/caught.ts';
import { lookupContext } from '../support/lookup-context.ts';
import {
  apiWith,
  type ScriptedRegistry,
  serverDocument,
  startScriptedRegistry,
} from '../../../../test/support/scripted-registry.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const LEGACY = {
  servers: {
    fetch: {
      image: 'ghcr.io/acme/fetch:1',
      description: 'Fetches pages',
      tier: 'Official',
      transport: 'stdio',
      tools: ['get'],
      metadata: { stars: 7 },
      env_vars: [{ name: 'API_KEY', required: true, secret: true, description: 'Key of the service' }],
      provenance: { repository_uri: 'https://github.com/acme/fetch' },
    },
  },
  remote_servers: { maps: { url: 'https://maps.acme.example/sse', transport: 'sse', description: 'Maps' } },
};

describe('listServers and searchServers', () => {
  const folders = new TemporaryFolders();
  let folder = '';
  let registry: ScriptedRegistry | undefined;

  beforeEach(async () => {
    folder = await folders.make();
    await writeFile(path.join(folder, 'legacy.json'), JSON.stringify(LEGACY));
  });
  afterEach(async () => {
    await registry?.close();
    registry = undefined;
    await folders.removeAll();
  });

  it('returns the servers of catalogues', async () => {
    const { servers } = await listServers(lookupContext(folder, { localRegistryPath: 'legacy.json' }));
    expect(servers).to.have.length(2);
    expect(servers[0]).to.deep.include({
      name: 'io.github.stacklok/fetch',
      type: 'container',
      transport: 'stdio',
      tier: 'Official',
      stars: 7,
      tools: ['get'],
      status: 'active',
    });
    expect(servers[1]).to.deep.include({ name: 'io.github.stacklok/maps', type: 'remote', transport: 'sse' });
  });

  it('searches names, titles and descriptions of a catalogue in any letter case', async () => {
    const context = lookupContext(folder, { localRegistryPath: 'legacy.json' });
    for (const [query, expected] of [
      ['FETCH', 1],
      ['pages', 1],
      ['stacklok', 2],
      ['nothing', 0],
    ] as const) {
      expect((await searchServers(query, context)).servers, query).to.have.length(expected);
    }
  });

  const tagged = (
    name: string,
    tags: readonly string[],
    tools: readonly string[],
  ): { readonly name: string } =>
    serverDocument(name, {
      title: `Title of ${name}`,
      _meta: {
        'io.modelcontextprotocol.registry/publisher-provided': {
          'io.github.stacklok': { [`ghcr.io/acme/${name.split('/').at(-1)}:1.0.0`]: { tags, tools } },
        },
      },
    });

  it('searches tags and tools of an API too, which the API itself does not search', async () => {
    registry = await startScriptedRegistry(
      apiWith([
        tagged('dev.acme/store', ['MySQL', 'database'], ['query']),
        tagged('dev.acme/mysql', [], []),
        tagged('dev.acme/pages', ['text'], ['list_mysql_tables', 'note']),
        tagged('dev.acme/other', ['text'], []),
      ]),
    );
    const context = lookupContext(folder, { registryApiUrl: registry.url });
    const search = async (query: string): Promise<readonly string[]> =>
      (await searchServers(query, context)).servers.map(({ name }) => name.slice('dev.acme/'.length));
    expect(await search('mysql')).to.deep.equal(['mysql', 'pages', 'store']);
    expect(await search('NOTE')).to.deep.equal(['pages']);
    expect(await search('Title of dev.acme/o')).to.deep.equal(['other']);
    expect(await search('text')).to.deep.equal(['other', 'pages']);
    expect(await search('nothing')).to.deep.equal([]);
    expect(registry.requests).to.have.length(1); // it is looked through for an hour
    await searchServers('mysql', context, { refresh: true });
    expect(registry.requests).to.have.length(2);
  });

  it('uses the search of an API that has too many servers to list, and reports that', async () => {
    const many = Array.from({ length: 10_001 }, (_, at) => serverDocument(`dev.acme/s${at}`));
    const all = apiWith(many);
    const quick = apiWith(many.slice(0, 1));
    registry = await startScriptedRegistry((url, response, request) => {
      // In large pages, since this test is about their sum.
      if (url.searchParams.has('search')) quick(url, response, request);
      else {
        url.searchParams.set('limit', '5001');
        all(url, response, request);
      }
    });
    const context = lookupContext(folder, { registryApiUrl: registry.url });
    const { servers, warnings } = await searchServers('acme/s0', context);
    expect(servers.map(({ name }) => name)).to.deep.equal(['dev.acme/s0']);
    expect(warnings.join()).to.contain('not tags and tools');
  });

  it('searches earlier responses of an API when it fails', async () => {
    const api = await startScriptedRegistry(
      apiWith([serverDocument('dev.acme/b'), serverDocument('dev.acme/a')]),
    );
    registry = api;
    const context = lookupContext(folder, { registryApiUrl: api.url });
    expect((await searchServers('acme/b', context)).servers.map(({ name }) => name)).to.deep.equal([
      'dev.acme/b',
    ]);
    api.answer = (_path, response) => void response.writeHead(502).end();
    const { servers, warnings } = await searchServers('server dev.acme/a', context);
    expect(servers.map(({ name }) => name)).to.deep.equal(['dev.acme/a']);
    expect(warnings).to.deep.equal([]); // what it said a moment ago is good for an hour
    const asked = await searchServers('server dev.acme/a', context, { refresh: true });
    expect(asked.servers).to.have.length(1);
    expect(asked.warnings.join()).to.contain('status 502');
  });

  it('caches a list for an hour, unless refresh is set', async () => {
    const clock = new FakeClock(new Date());
    const api = await startScriptedRegistry(apiWith([serverDocument('dev.acme/a')]));
    registry = api;
    const list = async (refresh = false): Promise<readonly string[]> => {
      const context = lookupContext(folder, { registryApiUrl: api.url }, { clock: clock.clock });
      return (await listServers(context, { refresh })).warnings;
    };
    await list();
    await list();
    expect(api.requests).to.have.length(1);
    await list(true);
    expect(api.requests).to.have.length(2);
    clock.advance(3_600_000);
    api.answer = (_path, response) => void response.writeHead(500).end();
    expect((await list()).join()).to.contain('status 500');
    api.answer = (_path, response) => void response.writeHead(401).end();
    expect(await caught(() => list())).to.include({ code: 'ERR_LOOKUP_UNAUTHORIZED' });
    await api.close();
    expect((await list(true)).join()).to.contain('cannot be reached');
  });

  it('separates results of different tokens', async () => {
    const api = await startScriptedRegistry(apiWith([serverDocument('dev.acme/secret')]));
    registry = api;
    const token = path.join(folder, 'token');
    await writeFile(token, 'abc');
    const settings = { registryApiUrl: api.url };
    await listServers(
      lookupContext(folder, settings, { environment: { PORTOLAN_REGISTRY_TOKEN_FILE: token } }),
    );
    api.answer = (_path, response) => void response.writeHead(500).end();
    expect(await caught(() => listServers(lookupContext(folder, settings)))).to.include({
      code: 'ERR_LOOKUP_STATUS',
    });
  });

  it('reports that no registry is configured', async () => {
    for (const asking of [listServers(lookupContext(folder)), searchServers('x', lookupContext(folder))]) {
      expect(await caught(() => asking)).to.include({ code: 'ERR_LOOKUP_NO_REGISTRY' });
    }
  });

  describe('describeRegistryServer', () => {
    it('returns what a run starts, and the values that it requires', async () => {
      const context = lookupContext(folder, { localRegistryPath: 'legacy.json' });
      const info = await describeRegistryServer('fetch', context);
      expect(info).to.deep.include({ runs: 'ghcr.io/acme/fetch:1', hasProvenance: true, warnings: [] });
      expect(info.inputs).to.deep.equal([
        { name: 'API_KEY', description: 'Key of the service', isRequired: true, isSecret: true },
      ]);
    });

    it('returns the grants that a run requires and the refusals, like a search', async () => {
      const image = 'ghcr.io/acme/notes:1';
      const packages = [{ registryType: 'oci', identifier: image, transport: { type: 'stdio' } }];
      const permissions = { read: ['/home/user/notes'], privileged: true };
      const meta = {
        'io.modelcontextprotocol.registry/publisher-provided': {
          'io.github.stacklok': { [image]: { permissions } },
        },
      };
      const file = path.join(folder, 'demanding.json');
      const servers = [serverDocument('dev.acme/notes', { packages, _meta: meta })];
      await writeFile(file, JSON.stringify({ data: { servers } }));
      const context = lookupContext(folder, { localRegistryPath: file });
      const info = await describeRegistryServer('notes', context);
      expect(info.grants).to.deep.equal([{ kind: 'mount', line: 'read ~/notes' }]);
      expect(info.refusals.map(({ setting }) => setting)).to.deep.equal(['permission_profile.privileged']);
      const [found] = (await searchServers('notes', context)).servers;
      expect(found).to.deep.include({ grants: info.grants, refusals: info.refusals });
    });

    it('returns a server that cannot run with the reason', async () => {
      const packages = [{ registryType: 'nuget', identifier: 'Acme.Notes', transport: { type: 'stdio' } }];
      const file = path.join(folder, 'other.json');
      await writeFile(
        file,
        JSON.stringify({ data: { servers: [serverDocument('dev.acme/notes', { packages })] } }),
      );
      const info = await describeRegistryServer('notes', lookupContext(folder, { localRegistryPath: file }));
      expect(info).to.include({ runs: undefined, type: 'other' });
      expect(info.warnings.join()).to.contain('nuget');
    });

    it('warns of hidden text in the entry', async () => {
      const file = path.join(folder, 'hidden.json');
      const document = serverDocument('dev.acme/notes', { description: 'Reads\u202e notes.' });
      await writeFile(file, JSON.stringify({ data: { servers: [document] } }));
      const info = await describeRegistryServer('notes', lookupContext(folder, { localRegistryPath: file }));
      expect(info.warnings).to.deep.equal([
        'The entry of dev.acme/notes has hidden text at description: 1 bidirectional character U+202E.',
      ]);
    });

    it('reports an unknown server', async () => {
      const context = lookupContext(folder, { localRegistryPath: 'legacy.json' });
      expect(await caught(() => describeRegistryServer('gone', context))).to.include({
        code: 'ERR_SERVER_UNKNOWN',
      });
    });
  });
});
