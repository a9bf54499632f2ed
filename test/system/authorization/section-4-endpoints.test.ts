import { expect } from 'chai';
import { extensionDocument, type Json, serverDocument } from '../../support/registry-under-test.ts';
import { onSharedServers } from './on-shared-servers.ts';
import { entryPath, newLabel, newName, type Person, readPath } from './person.ts';

const ROLES = ['sources', 'registries', 'entries'];

onSharedServers('section 4, endpoints', 'full', (scene) => {
  const member = (): Person => scene().person({ sub: 'ada', org: 'acme', team: 'eng', role: ROLES });

  it('"All bodies are JSON.", including those of errors', async () => {
    const who = member();
    for (const path of [
      '/v1/me',
      '/v1/sources',
      '/registry/main/v0.1/servers',
      '/v1/sources/absent',
      '/nothing',
    ]) {
      const answer = await who.get(path);
      expect(answer.headers.get('content-type'), path).to.match(/^application\/json(?:;|$)/);
      expect(answer.json(), path).to.be.an('object');
    }
  });

  it('"requests with a body carry Content-Type: application/json": other types are refused', async () => {
    const who = member();
    const body = JSON.stringify({ managed: {}, claims: { org: 'acme' } });
    const path = `/v1/sources/${newLabel()}`;
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])
      expect(await who.asks('PUT', path, body, { 'content-type': type }), type).to.equal(415);
    const typed = { 'content-type': 'application/json; charset=utf-8' };
    expect(await who.asks('PUT', path, body, typed)).to.equal(201);
  });

  it('rejects an unknown key in every request body and names it', async () => {
    const who = scene().admin;
    const name = await who.published({ org: 'acme' });
    const server = serverDocument(newName());
    const bodies: readonly (readonly [method: string, path: string, body: Json])[] = [
      ['POST', '/v1/entries?source=published', { server, claims: { org: 'acme' }, slip: 1 }],
      ['PUT', `${entryPath(name)}/claims`, { claims: { org: 'acme' }, slip: 1 }],
      ['PATCH', `${entryPath(name)}/status`, { status: 'deprecated', slip: 1 }],
      ['PATCH', `${entryPath(name)}/versions/1.0.0/status`, { status: 'deprecated', slip: 1 }],
      ['PUT', `/v1/sources/${newLabel()}`, { managed: {}, slip: {} }],
      ['PUT', `/v1/registries/${newLabel()}`, { sources: ['published'], slip: 1 }],
      ['POST', '/v1/authz/explain', { registry: 'main', slip: 1 }],
      ['POST', '/v1/authz/explain', { registry: 'main', entry: { type: 'server', name, slip: 1 } }],
      ['POST', '/v1/authz/explain', { caller: { claims: {}, slip: 1 } }],
    ];
    for (const [method, path, body] of bodies) {
      const answer = await who.send(method, path, body);
      expect(answer.status, `${method} ${path}`).to.equal(400);
      expect(answer.text, `${method} ${path}`).to.contain('slip');
    }
    const { valid, issues } = (await who.must('POST', '/v1/validate', { server, slip: 1 })).json();
    expect(valid).to.equal(false);
    expect(JSON.stringify(issues)).to.contain('slip');
  });

  it('GET /v1/entries/{type}/{name} › accepts an unescaped slash in the name', async () => {
    const name = await scene().admin.published({ org: 'acme' });
    const encoded = await member().must('GET', entryPath(name));
    expect((await member().must('GET', `/v1/entries/server/${name}`)).json()).to.deep.equal(encoded.json());
    const claims = await scene().admin.published({ org: 'acme' });
    expect((await member().must('GET', `/v1/entries/server/${claims}/claims`)).json()).to.have.keys('claims');
  });

  it('GET /registry/{registry_name}/v0.1/servers: "entries visible to the caller"', async () => {
    const { admin } = scene();
    const who = member();
    const visible = await admin.published({ org: 'acme', team: 'eng' });
    const hidden = await admin.published({ org: 'acme', team: 'ops' });
    expect(await who.listed())
      .to.include(visible)
      .and.not.include(hidden);
    const page = await who.must(
      'GET',
      `/registry/main/v0.1/servers?search=${visible.slice('com.acme/'.length)}`,
    );
    const { servers, metadata } = page.json<{ servers: readonly Json[]; metadata: Json }>();
    expect(metadata).to.deep.include({ count: servers.length });
    const [row] = servers.filter(({ server }) => (server as Json)['name'] === visible);
    expect(row).to.have.keys('server', '_meta');
    expect(row?.['server']).to.deep.equal({ ...serverDocument(visible), _meta: {} });
  });

  it('GET /v1/me: "200 with subject and roles"', async () => {
    const answer = await member().get('/v1/me');
    expect(answer.status).to.equal(200);
    const { subject, roles } = answer.json();
    expect({ subject, roles }).to.deep.equal({
      subject: 'ada',
      roles: ['manageSources', 'manageRegistries', 'manageEntries'],
    });
  });

  it('POST /v1/entries: "server object and claims object", returns 201 and the document', async () => {
    const name = newName();
    const meta = {
      'io.modelcontextprotocol.registry/publisher-provided': { tool: 'release', nested: [1, { a: null }] },
    };
    const document = {
      ...serverDocument(name, '1.2.3'),
      packages: [
        { registryType: 'npm', identifier: '@acme/notes', version: '1.2.3', transport: { type: 'stdio' } },
      ],
      remotes: [{ type: 'streamable-http', url: `https://${newLabel()}.acme.example/mcp` }],
      _meta: meta,
    };
    const body = { server: document, claims: { org: 'acme', team: 'eng' } };
    const answer = await member().send('POST', '/v1/entries?source=published', body);
    expect(answer.status, answer.text).to.equal(201);
    expect(answer.json()).to.deep.equal(document);
    const read = (await member().must('GET', readPath(name))).json<{ server: Json }>();
    expect(read.server).to.deep.equal(document);
  });

  it('POST /v1/entries: "Needs role manageEntries (or superAdmin)."', async () => {
    const { person, admin } = scene();
    expect(
      (await person({ org: 'acme', role: ['sources', 'registries'] }).publish(newName(), { org: 'acme' }))
        .status,
    ).to.equal(403);
    expect(
      (await person({ org: 'acme', role: 'entries' }).publish(newName(), { org: 'acme' })).status,
    ).to.equal(201);
    expect((await admin.publish(newName(), { org: 'acme' })).status).to.equal(201);
  });

  it('POST /v1/entries accepts a skill or a plugin, one document per request', async () => {
    const who = member();
    const claims = { org: 'acme' };
    for (const type of ['skill', 'plugin'] as const) {
      const document = extensionDocument('com.acme', newLabel());
      const answer = await who.send('POST', '/v1/entries?source=published', { [type]: document, claims });
      expect(answer.status, type).to.equal(201);
      expect(answer.json()).to.deep.include({ ...document, isLatest: true });
    }
    const both = {
      server: serverDocument(newName()),
      skill: extensionDocument('com.acme', newLabel()),
      claims,
    };
    for (const body of [both, { claims }, { server: 'x', claims }, { server: [], claims }])
      expect(await who.asks('POST', '/v1/entries?source=published', body), JSON.stringify(body)).to.equal(
        400,
      );
  });

  it('PUT /v1/entries/{type}/{name}/claims: "204 with no content"', async () => {
    const who = member();
    const name = await who.published({ org: 'acme' });
    const answer = await who.send('PUT', `${entryPath(name)}/claims`, {
      claims: { org: 'acme', team: 'eng' },
    });
    expect(answer.status).to.equal(204);
    expect(answer.text).to.equal('');
    expect((await who.get(`${entryPath(name)}/claims`)).json()).to.deep.equal({
      claims: { org: 'acme', team: 'eng' },
    });
  });

  it('… "{type} is server or skill.", or plugin; any other type is 400', async () => {
    const who = member();
    for (const type of ['skill', 'plugin'] as const) {
      const name = await who.publishedExtension(type, { org: 'acme' });
      const body = { claims: { team: 'eng' } };
      expect(await who.asks('PUT', `${entryPath(name, type)}/claims`, body), type).to.equal(204);
    }
    for (const type of ['servers', 'Server', 'thing'])
      expect(
        await who.asks('PUT', `${entryPath('com.acme/x', type)}/claims`, { claims: { org: 'acme' } }),
        type,
      ).to.equal(400);
  });

  it('… "{name} is one path segment: the slash inside the name is URL-encoded as %2F."', async () => {
    const who = member();
    const name = await who.published({ org: 'acme' });
    const body = { claims: { org: 'acme' } };
    const [namespace = '', bare = ''] = name.split('/');
    expect(await who.asks('PUT', `/v1/entries/server/${namespace}%2F${bare}/claims`, body)).to.equal(204);
    expect(await who.asks('PUT', `/v1/entries/server/${namespace}%2f${bare}/claims`, body)).to.equal(204);
    // Some proxies decode the slash. A server name has exactly one slash.
    expect(await who.asks('PUT', `/v1/entries/server/${namespace}/${bare}/claims`, body)).to.equal(204);
    expect(await who.asks('PUT', `/v1/entries/server/${namespace}%252F${bare}/claims`, body)).to.equal(404);
  });

  it('… "Changes claims on every version of the entry."', async () => {
    const { person } = scene();
    const who = member();
    const name = await who.published({ org: 'acme' });
    await who.publish(name, { org: 'acme' }, { version: '2.0.0' });
    await who.must('PUT', `${entryPath(name)}/claims`, { claims: { team: 'eng' } });
    for (const version of ['1.0.0', '2.0.0']) {
      expect(await person({ org: 'acme' }).asks('GET', readPath(name, version)), version).to.equal(404);
      expect(await who.asks('GET', readPath(name, version)), version).to.equal(200);
    }
    expect((await who.publish(name, { org: 'acme' }, { version: '3.0.0' })).status).to.equal(409);
    expect((await who.publish(name, { team: 'eng' }, { version: '3.0.0' })).status).to.equal(201);
  });

  it('… "An empty claims object clears the claims.", only for a superAdmin', async () => {
    const { admin } = scene();
    const who = member();
    const body = { claims: {} };
    const name = await who.published({ org: 'acme' });
    const path = `${entryPath(name)}/claims`;
    expect(await who.asks('PUT', path, body)).to.equal(403);
    expect(await who.asks('GET', readPath(name))).to.equal(200);
    expect(await admin.asks('PUT', path, body)).to.equal(204);
    expect((await admin.get(path)).json()).to.deep.equal({ claims: {} });
    expect(await who.asks('GET', readPath(name))).to.equal(404);
    expect(await who.asks('PUT', path, { claims: { org: 'acme' } })).to.equal(404);
    expect(await admin.asks('PUT', path, { claims: { org: 'acme' } })).to.equal(204);
    expect(await who.asks('GET', readPath(name))).to.equal(200);
  });

  for (const what of ['sources', 'registries'] as const) {
    it(`GET /v1/${what}/{name}: "404 when the caller's claims do not satisfy the … claims"`, async () => {
      const { admin } = scene();
      const who = member();
      const make = async (claims: Json): Promise<string> => {
        const path = `/v1/${what}/${newLabel()}`;
        await admin.must(
          'PUT',
          path,
          what === 'sources' ? { managed: {}, claims } : { sources: ['published'], claims },
        );
        return path;
      };
      const satisfied = await make({ org: 'acme' });
      const hidden = await make({ org: 'acme', team: 'ops' });
      const shown = await who.get(satisfied);
      expect(shown.status).to.equal(200);
      expect(shown.json()).to.deep.include({
        name: satisfied.split('/').at(-1),
        creationType: 'API',
        claims: { org: 'acme' },
      });
      expect(await who.asks('GET', hidden)).to.equal(404);
      expect(await who.asks('GET', `${hidden}/entries`)).to.equal(404);
    });
  }

  it('GET /v1/sources/{name} returns kind, status and times; PUT returns the same without status', async () => {
    const who = member();
    const path = `/v1/sources/${newLabel()}`;
    const body = {
      file: { data: JSON.stringify({ version: '1.0.0', data: { servers: [] } }) },
      syncPolicy: { interval: '30m' },
      filter: { names: { include: ['com.acme/*'] } },
      claims: { org: 'acme' },
    };
    const made = await who.send('PUT', path, body);
    expect(made.status, made.text).to.equal(201);
    const expected = {
      type: 'file',
      sourceType: 'file',
      creationType: 'API',
      syncSchedule: '30m0s',
      filterConfig: body.filter,
    };
    expect(made.json()).to.deep.include(expected).and.not.have.property('syncStatus');
    const shown = (await who.must('GET', path)).json();
    expect(shown).to.deep.include(expected);
    expect(shown).to.include.keys('syncStatus', 'createdAt', 'updatedAt', 'sourceConfig');
  });

  it('GET /v1/sources/{name}/entries: "raw entries (servers and skills with versions and claims) of the source"', async () => {
    const { admin } = scene();
    const source = newLabel();
    await admin.must('PUT', `/v1/sources/${source}`, { managed: {}, claims: { org: 'acme' } });
    const name = await admin.published({ org: 'acme' }, { source });
    await admin.publish(name, undefined, { source, version: '1.10.0' });
    const skill = newLabel();
    const body = { skill: extensionDocument('com.acme', skill), claims: { org: 'elsewhere' } };
    await admin.must('POST', `/v1/entries?source=${source}`, body);
    const entries = await member().rawEntries(`/v1/sources/${source}`);
    expect(
      entries.map(({ entryType, name: found, claims }) => ({ entryType, found, claims })),
    ).to.have.deep.members([
      { entryType: 'MCP', found: name, claims: { org: 'acme' } },
      { entryType: 'SKILL', found: `com.acme/${skill}`, claims: { org: 'elsewhere' } },
    ]);
    const server = entries.find((entry) => entry.name === name);
    expect(server?.versions?.map(({ version }) => version)).to.deep.equal(['1.10.0', '1.0.0']);
  });

  it('GET /v1/registries/{name}/entries: "raw entries of the registry", of every source, including shadowed ones, with claims', async () => {
    const { admin } = scene();
    const [first, second, registry] = [newLabel(), newLabel(), newLabel()];
    for (const source of [first, second])
      await admin.must('PUT', `/v1/sources/${source}`, { managed: {}, claims: { org: 'acme' } });
    await admin.must('PUT', `/v1/registries/${registry}`, {
      sources: [first, second],
      claims: { org: 'acme' },
    });
    const name = newName();
    await admin.publish(name, { org: 'acme' }, { source: first });
    await admin.publish(name, { org: 'other' }, { source: second });
    const rows = await member().rawEntries(`/v1/registries/${registry}`);
    expect(
      rows.map(({ name: found, version, sourceName, claims }) => ({ found, version, sourceName, claims })),
    ).to.deep.equal([
      { found: name, version: '1.0.0', sourceName: first, claims: { org: 'acme' } },
      { found: name, version: '1.0.0', sourceName: second, claims: { org: 'other' } },
    ]);
  });

  it('"Parent source must be accessible to the caller.": such a caller sees all its rows except those without claims', async () => {
    const { admin } = scene();
    const [source, registry] = [newLabel(), newLabel()];
    await admin.must('PUT', `/v1/sources/${source}`, { managed: {}, claims: { org: 'acme' } });
    await admin.must('PUT', `/v1/registries/${registry}`, { sources: [source], claims: { org: 'acme' } });
    const labelled = [
      await admin.published({ org: 'acme' }, { source }),
      await admin.published({ org: 'other' }, { source }),
    ];
    const bare = await admin.published(undefined, { source });
    for (const path of [`/v1/sources/${source}`, `/v1/registries/${registry}`]) {
      expect(
        (await member().rawEntries(path)).map(({ name }) => name),
        path,
      ).to.have.members(labelled);
      expect(
        (await admin.rawEntries(path)).map(({ name }) => name),
        path,
      ).to.have.members([...labelled, bare]);
    }
  });

  it('lists of entries have pages: full, each row once, at most 1000 rows', async () => {
    const { admin } = scene();
    const [source, registry] = [newLabel(), newLabel()];
    await admin.must('PUT', `/v1/sources/${source}`, { managed: {}, claims: { org: 'acme' } });
    await admin.must('PUT', `/v1/registries/${registry}`, { sources: [source], claims: { org: 'acme' } });
    const names: string[] = [];
    for (let at = 0; at < 11; at += 1) {
      const claims = at % 3 === 1 ? undefined : { org: 'acme' };
      const name = await admin.published(claims, { source });
      if (claims !== undefined) names.push(name);
    }
    for (const path of [`/v1/sources/${source}/entries`, `/v1/registries/${registry}/entries`]) {
      const pages: (readonly string[])[] = [];
      let more = '';
      do {
        const page = (await member().must('GET', `${path}?limit=3${more}`)).json<EntryPage>();
        pages.push(page.entries.map(({ name }) => name));
        more = page.metadata.nextCursor === undefined ? '' : `&cursor=${page.metadata.nextCursor}`;
      } while (more !== '');
      expect(pages.flat(), path).to.deep.equal(names.toSorted());
      expect(
        pages.map(({ length }) => length),
        path,
      ).to.deep.equal([3, 3, 1]);
      expect(await member().asks('GET', `${path}?limit=5000`), path).to.equal(200);
      for (const query of ['limit=0', 'limit=x', 'cursor=%21', 'cursor=AAAA'])
        expect(await member().asks('GET', `${path}?${query}`), query).to.equal(400);
    }
  });

  it('unknown paths respond 404; known paths with another method 405', async () => {
    const who = member();
    expect(await who.asks('GET', '/v1/things')).to.equal(404);
    for (const [method, path] of [
      ['POST', '/v1/sources'],
      ['DELETE', '/v1/entries'],
      ['PATCH', '/v1/sources/published'],
      ['POST', '/registry/main/v0.1/servers'],
    ] as const) {
      const answer = await who.send(method, path, {});
      expect(answer.status, path).to.equal(405);
      expect(answer.headers.get('allow'), path).to.be.a('string');
    }
  });
});

interface EntryPage {
  readonly entries: readonly { readonly name: string }[];
  readonly metadata: { readonly nextCursor?: string };
}
