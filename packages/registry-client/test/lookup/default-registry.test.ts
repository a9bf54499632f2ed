import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { findServer } from '../../src/lookup/find-server.ts';
import { listServers, searchServers } from '../../src/lookup/list-servers.ts';
import { caught } from '../../../../test/support/caught.ts';
import {
  apiWith,
  type ScriptedRegistry,
  serverDocument,
  startScriptedRegistry,
} from '../../../../test/support/scripted-registry.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';
import { lookupContext } from '../support/lookup-context.ts';

describe('default registry', () => {
  const folders = new TemporaryFolders();
  let folder = '';
  let registry: ScriptedRegistry;

  beforeEach(async () => {
    folder = await folders.make();
    await writeFile(path.join(folder, 'token'), 'company-token');
    registry = await startScriptedRegistry(
      apiWith([serverDocument('dev.acme/fetch'), serverDocument('dev.acme/weather')]),
    );
  });
  afterEach(async () => {
    await registry.close();
    await folders.removeAll();
  });

  const context = (): ReturnType<typeof lookupContext> =>
    lookupContext(
      folder,
      { defaultRegistryUrl: registry.url },
      { environment: { PORTOLAN_REGISTRY_TOKEN_FILE: path.join(folder, 'token') } },
    );

  it('receives search requests, and is never listed completely', async () => {
    const { servers, warnings } = await searchServers('fetch', context());
    expect(servers.map(({ name }) => name)).to.deep.equal(['dev.acme/fetch']);
    expect(warnings).to.deep.equal([]);
    expect(await findServer('fetch', context())).to.include({ isFound: true, name: 'dev.acme/fetch' });
    expect(registry.requests).to.have.length(2);
    expect(await caught(() => listServers(context()))).to.have.property('code', 'ERR_LOOKUP_NOT_LISTED');
    expect(registry.requests).to.have.length(2);
    for (const request of registry.requests) expect(request).to.match(/search=fetch/);
  });

  it('receives a search for similar names', async () => {
    for (const [name, didYouMean] of [
      ['fetsh', 'dev.acme/fetch'],
      ['dev.acme/wether', 'dev.acme/weather'],
      ['dev.acne/fetch', 'dev.acme/fetch'],
    ] as const) {
      const answer = await findServer(name, context());
      expect(answer, name).to.deep.equal({ isFound: false, registry: registry.url, didYouMean });
    }
    for (const name of ['unheard', 'org.example/unheard'])
      expect(await findServer(name, context())).to.deep.equal({ isFound: false, registry: registry.url });
    const lists = registry.requests.filter((request) => request.includes('servers?'));
    for (const request of lists) expect(request).to.match(/[?&](?:search=.|limit=1&)/);
  });

  it('receives no token, because tokens belong to configured registries', async () => {
    await findServer('dev.acme/fetch', context());
    await searchServers('fetch', context());
    expect(registry.requests).to.have.length(2);
    expect(registry.tokens).to.deep.equal([]);
    const { environment } = context();
    await findServer(
      'dev.acme/fetch',
      lookupContext(folder, { registryApiUrl: registry.url }, { environment }),
    );
    expect(registry.tokens).to.deep.equal(['Bearer company-token']);
  });

  it('receives no request when another registry is configured', async () => {
    await writeFile(path.join(folder, 'own.json'), JSON.stringify({ data: { servers: [] } }));
    const own = { ...context(), user: { ...context().user, localRegistryPath: 'own.json' } };
    expect(await findServer('fetch', own)).to.include({ isFound: false });
    expect(registry.requests).to.deep.equal([]);
  });
});
