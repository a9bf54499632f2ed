import { expect } from 'chai';
import { serverDocument } from '../../support/registry-under-test.ts';
import { onSharedServers, UNLABELLED } from './on-shared-servers.ts';
import { entryPath, newLabel, newName, type Person, readPath } from './person.ts';

const ALL_ROLES = ['superAdmin', 'manageSources', 'manageRegistries', 'manageEntries'];

/** Resources that other tests of the suite may have made. */
const MADE_BY_TESTS = /^label-\d+$/;

const consumerPaths = (registry: string, name: string): readonly string[] => [
  `/registry/${registry}/v0.1/servers`,
  `/registry/${registry}/v0.1/servers/${encodeURIComponent(name)}/versions`,
  readPath(name, 'latest', registry),
  readPath(name, '1.0.0', registry),
  `/registry/${registry}/v0.1/x/dev.toolhive/skills`,
  `/registry/${registry}/v0.1/x/dev.toolhive/plugins`,
  `/registry/${registry}/openapi.json`,
];

onSharedServers('section 1, three layers of checks', 'full', (scene) => {
  it('"Registry claims (access gate): … the server returns 403 before any data is returned."', async () => {
    const { person, admin } = scene();
    const name = await admin.published({ org: 'acme' });
    const caller = person({ org: 'acme' });
    for (const path of consumerPaths('team', name)) {
      const answer = await caller.get(path);
      expect(answer.status, path).to.equal(403);
      expect(Object.keys(answer.json()), path).to.have.members(['error', 'code', 'requestId']);
      expect(answer.text, path).to.not.include(name.slice('com.acme/'.length));
      expect(answer.headers.get('etag'), path).to.equal(null);
    }
    const member = person({ org: 'acme', team: 'data' });
    for (const path of consumerPaths('team', name))
      expect(await member.asks('GET', path), path).to.equal(200);
  });

  it('"Entry claims (visibility filter): only entries whose claims the caller\'s JWT satisfies are included in a response."', async () => {
    const { person, admin } = scene();
    const acme = await admin.published({ org: 'acme' });
    const data = await admin.published({ org: 'acme', team: 'data' });
    const other = await admin.published({ org: 'other' });
    const names = await person({ org: 'acme' }).listed();
    expect(names).to.include(acme).and.not.include(data);
    expect(names).to.not.include(other);
    const more = await person({ org: 'acme', team: 'data' }).listed();
    expect(more).to.include.members([acme, data]).and.not.include(other);
  });

  it('"only entries whose claims the caller\'s JWT satisfies": skills and plugins, also in the lists that other registries read', async () => {
    const { person, admin } = scene();
    for (const type of ['skill', 'plugin'] as const) {
      const own = await admin.publishedExtension(type, { org: 'acme' });
      const hidden = await admin.publishedExtension(type, { org: 'acme', team: 'data' });
      for (const space of ['dev.toolhive', 'dev.portolan']) {
        const path = `/registry/main/v0.1/x/${space}/${type}s?limit=100`;
        const seen = async (claims: Record<string, string>) => (await person(claims).get(path)).text;
        const label = (name: string) => `"${name.slice(name.lastIndexOf('/') + 1)}"`;
        expect(await seen({ org: 'acme' }), path)
          .to.include(label(own))
          .and.not.include(label(hidden));
        expect(await seen({ org: 'acme', team: 'data' }), path)
          .to.include(label(own))
          .and.include(label(hidden));
        expect(await seen({ org: 'other' }), path)
          .to.not.include(label(own))
          .and.not.include(label(hidden));
      }
    }
  });

  it('"Role checks (admin operations): publishing, deleting and managing sources or registries need specific roles."', async () => {
    const { person, admin } = scene();
    const name = await admin.published({ org: 'acme' });
    const definition = { managed: {}, claims: { org: 'acme' } };
    const registry = { sources: ['published'], claims: { org: 'acme' } };
    const attempts: readonly (readonly [string, string, string, unknown?])[] = [
      [
        'entries',
        'POST',
        '/v1/entries?source=published',
        { server: serverDocument(newName()), claims: { org: 'acme' } },
      ],
      ['sources', 'PUT', `/v1/sources/${newLabel()}`, definition],
      ['registries', 'PUT', `/v1/registries/${newLabel()}`, registry],
      ['entries', 'DELETE', `${entryPath(name)}/versions/1.0.0`],
    ];
    for (const [role, method, path, body] of attempts) {
      const without = await person({ org: 'acme' }).send(method, path, body);
      expect(without.status, path).to.equal(403);
      expect(without.json()['code'], path).to.equal('ERR_ROLE_MISSING');
      expect(await person({ org: 'acme', role }).asks(method, path, body), path).to.be.oneOf([201, 204]);
    }
  });

  it('"checks these three layers in this order": the gate before the entry', async () => {
    const { person, admin } = scene();
    const hidden = await admin.published({ org: 'other' });
    const visible = await admin.published({ org: 'acme' });
    const caller = person({ org: 'acme' });
    for (const name of [hidden, visible, 'com.acme/absent'])
      expect(await caller.asks('GET', readPath(name, 'latest', 'team')), name).to.equal(403);
    expect(await caller.asks('GET', readPath(hidden))).to.equal(404);
    expect(await caller.asks('GET', readPath('com.acme/absent'))).to.equal(404);
    expect(await caller.asks('GET', readPath(visible))).to.equal(200);
  });

  it('"For each API request the server: (a) … (b) … (c) … (d)": the token, the role, then the claims', async () => {
    const { person, admin } = scene();
    const source = newLabel();
    await admin.must('PUT', `/v1/sources/${source}`, { managed: {}, claims: { org: 'other' } });
    for (const path of [`/v1/sources/${source}`, '/v1/sources/absent']) {
      expect(await person().asks('GET', path), path).to.equal(401);
      expect(await person({ org: 'other' }).asks('GET', path), path).to.equal(403);
      expect(await person({ org: 'acme', role: 'sources' }).asks('GET', path), path).to.equal(404);
    }
    expect(await person({ org: 'other', role: 'sources' }).asks('GET', `/v1/sources/${source}`)).to.equal(
      200,
    );
  });

  it('a request without the required role is refused before its body is parsed', async () => {
    const { person } = scene();
    for (const [method, path] of [
      ['POST', '/v1/entries'],
      ['PUT', '/v1/sources/some'],
      ['PUT', '/v1/registries/some'],
      ['PUT', `${entryPath('com.acme/some')}/claims`],
    ] as const)
      expect(await person({ org: 'acme' }).asks(method, path, '{"broken'), path).to.equal(403);
  });

  it('"extracts the caller\'s claims from the JWT": claims of the token decide, not its subject', async () => {
    const { person, admin } = scene();
    const name = await admin.published({ team: 'data' });
    const as = (team: string): Person => person({ sub: 'ada', org: 'acme', team });
    expect(await as('data').asks('GET', readPath(name))).to.equal(200);
    expect(await as('ops').asks('GET', readPath(name))).to.equal(404);
  });

  it('"resolves the caller\'s roles from those claims and the authz configuration"', async () => {
    const { person } = scene();
    expect(await person({ role: 'entries' }).roles()).to.deep.equal(['manageEntries']);
    expect(await person({ role: ['sources', 'registries'] }).roles()).to.deep.equal([
      'manageSources',
      'manageRegistries',
    ]);
    expect(await person({}).roles()).to.deep.equal([]);
  });

  it('"Roles, claim gates and claim filters all apply.", also to discovery', async () => {
    const { person, admin } = scene();
    const found = async (who: Person): Promise<readonly string[]> =>
      (await who.must('GET', '/registry'))
        .json<{ registries: readonly { name: string }[] }>()
        .registries.map(({ name }) => name)
        .filter((name) => !MADE_BY_TESTS.test(name));
    expect(await found(person({}))).to.deep.equal([]);
    expect(await found(person({ org: 'acme' }))).to.deep.equal(['main']);
    expect(await found(person({ org: 'acme', team: 'data' }))).to.deep.equal(['main', 'team']);
    expect(await found(admin)).to.deep.equal(['abroad', 'bare', 'everyone', 'main', 'team']);
    const me = (await person({ org: 'acme' }).must('GET', '/v1/me')).json<{
      registries: readonly string[];
    }>();
    expect(me.registries).to.include('main').and.not.include('bare');
  });
});

onSharedServers('section 1, auth-only mode', 'auth-only', (scene) => {
  it('"A valid JWT is required."', async () => {
    const { server, person } = scene();
    const expired = server.token({ exp: Math.floor(Date.now() / 1000) - 3600 });
    for (const path of ['/v1/me', '/v1/sources', '/registry', '/registry/main/v0.1/servers']) {
      expect(await person().asks('GET', path), path).to.equal(401);
      expect(await server.status('GET', path, { token: expired }), path).to.equal(401);
      expect(await person({}).asks('GET', path), path).to.equal(200);
    }
  });

  it('"Claims filtering is off, so every authenticated caller sees all entries regardless of source or registry claims."', async () => {
    const { person } = scene();
    const caller = person({ org: 'nowhere' });
    await caller.awaits(UNLABELLED);
    const names = [
      UNLABELLED,
      await caller.published({ org: 'acme' }),
      await caller.published({ org: 'other', team: 'ops' }),
      await caller.unlabelled(),
    ];
    expect(await caller.listed('main')).to.include.members(names);
    expect(await caller.listed('team')).to.include.members(names.slice(1));
    expect(await caller.listed('bare')).to.include.members(names);
    for (const name of names) expect(await caller.asks('GET', readPath(name)), name).to.equal(200);
  });

  it('POST /v1/entries › responds 400 without claims and 409 for other claims than those of the entry', async () => {
    const caller = scene().person({ org: 'nowhere' });
    for (const claims of [undefined, {}]) {
      const answer = await caller.publish(newName(), claims);
      expect([answer.status, answer.json()['code']]).to.deep.equal([400, 'ERR_CLAIMS_REQUIRED']);
    }
    const name = await caller.published({ org: 'acme' });
    const other = await caller.publish(name, { org: 'other' }, { version: '2.0.0' });
    expect([other.status, other.json()['code']]).to.deep.equal([409, 'ERR_CLAIMS_DIFFER']);
    const bare = await caller.publish(await caller.unlabelled(), { org: 'acme' }, { version: '2.0.0' });
    expect(bare.status).to.equal(409);
    expect(bare.json()['hint']).to.contain('portolan entries claims set');
    expect((await caller.publish(newName(), { org: [] })).status, 'an empty list').to.equal(403);
  });

  it('"Role checks pass for everyone, so every authenticated caller can reach every endpoint."', async () => {
    await expectAdministration(scene().person({}));
  });

  it('"In anonymous and auth-only modes unlabeled resources stay accessible."', async () => {
    await expectUnlabelled(scene().person({}));
  });

  it('"GET /v1/me reports every defined role."', async () => {
    const { person } = scene();
    const answer = await person({ sub: 'ada' }).must('GET', '/v1/me');
    const registries = ['abroad', 'bare', 'everyone', 'main', 'team'];
    expect(answer.json()).to.deep.include({ subject: 'ada', roles: ALL_ROLES });
    expect(answer.json()['registries']).to.include.members(registries);
  });
});

onSharedServers('section 1, anonymous mode', 'anonymous', (scene) => {
  it('"All authorization checks are bypassed."', async () => {
    await expectAdministration(scene().person());
  });

  it('"All sources, registries and entries are accessible."', async () => {
    const { admin: anybody } = scene();
    await anybody.awaits(UNLABELLED);
    const names = [await anybody.published({ org: 'acme' }), await anybody.published(undefined)];
    for (const registry of ['main', 'team', 'bare'])
      expect(await anybody.listed(registry), registry).to.include.members(names);
    expect(await anybody.administers('sources')).to.include.members(['published', 'unlabelled']);
    expect(await anybody.administers('registries')).to.include.members(['main', 'team', 'bare']);
  });

  it('"In anonymous and auth-only modes unlabeled resources stay accessible."', async () => {
    await expectUnlabelled(scene().person());
  });

  it('ignores an auth.authz block and logs one warning about it', () => {
    const warnings = scene().server.process.log.filter(({ level }) => level === 'warn');
    expect(warnings.filter((line) => JSON.stringify(line).includes('auth.authz'))).to.have.lengthOf(1);
  });

  it('"401 in anonymous mode": GET /v1/me, with a token too', async () => {
    const { person } = scene();
    for (const who of [person(), person({ role: 'admin' })])
      expect(await who.asks('GET', '/v1/me')).to.equal(401);
  });
});

/** Sends every kind of admin operation. */
async function expectAdministration(who: Person): Promise<void> {
  const source = newLabel();
  const registry = newLabel();
  const claims = { org: 'elsewhere' };
  const steps: readonly (readonly [number, string, string, unknown?])[] = [
    [201, 'PUT', `/v1/sources/${source}`, { managed: {}, claims }],
    [200, 'PUT', `/v1/sources/${source}`, { managed: {} }],
    [200, 'GET', `/v1/sources/${source}`],
    [201, 'PUT', `/v1/registries/${registry}`, { sources: [source], claims }],
    [200, 'PUT', `/v1/registries/${registry}`, { sources: [source] }],
    [200, 'GET', `/v1/registries/${registry}`],
    [201, 'POST', `/v1/entries?source=${source}`, { server: serverDocument('com.acme/all'), claims }],
    [200, 'GET', `/v1/sources/${source}/entries`],
    [200, 'GET', `/v1/registries/${registry}/entries`],
    [200, 'GET', `${entryPath('com.acme/all')}/claims`],
    [204, 'PUT', `${entryPath('com.acme/all')}/claims`, { claims: {} }],
    [200, 'PATCH', `${entryPath('com.acme/all')}/status`, { status: 'deprecated' }],
    [200, 'GET', readPath('com.acme/all', 'latest', registry)],
    [204, 'DELETE', `${entryPath('com.acme/all')}/versions/1.0.0`],
    [204, 'DELETE', `/v1/registries/${registry}`],
    [204, 'DELETE', `/v1/sources/${source}`],
  ];
  for (const [expected, method, path, body] of steps) {
    const { status, text } = await who.send(method, path, body);
    expect(status, `${method} ${path}: ${text}`).to.equal(expected);
  }
}

/** Expects a source, a registry and an entry without claims on their own paths and in their lists. */
async function expectUnlabelled(who: Person): Promise<void> {
  await who.awaits(UNLABELLED);
  expect(await who.asks('GET', '/v1/sources/unlabelled')).to.equal(200);
  expect(await who.asks('GET', '/v1/registries/bare')).to.equal(200);
  expect(await who.asks('GET', readPath(UNLABELLED))).to.equal(200);
  expect(await who.administers('sources')).to.include('unlabelled');
  expect((await who.rawEntries('/v1/sources/unlabelled')).map(({ name }) => name)).to.deep.equal([
    UNLABELLED,
  ]);
  const name = await who.unlabelled();
  expect(await who.listed('bare')).to.include(name);
}
