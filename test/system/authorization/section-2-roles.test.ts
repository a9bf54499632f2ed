import { expect } from 'chai';
import { type Json, serverDocument } from '../../support/registry-under-test.ts';
import { onEachEngine } from './on-each-engine.ts';
import { entryPath, newLabel, newName, type Person, readPath } from './person.ts';

const CONFIG: Json = {
  sources: [{ name: 'published', managed: {}, claims: { org: 'acme' } }],
  registries: [
    { name: 'main', sources: ['published'], claims: { org: 'acme' } },
    { name: 'abroad', sources: ['published'], claims: { org: 'other' } },
    { name: 'bare', sources: ['published'] },
  ],
};

const ROLES = {
  superAdmin: [{ role: 'admin' }],
  manageSources: [{ role: 'sources' }, { org: 'acme', team: ['eng', 'ops'] }],
  manageRegistries: [{ role: 'registries' }, {}],
  manageEntries: [{ role: 'entries' }, { team: [] }, { Group: 'Writers', level: '3' }],
};

const S = 'manageSources';
const R = 'manageRegistries';
const E = 'manageEntries';

/** Claims of a token and the resulting roles. */
const RESOLVED: readonly (readonly [statement: string, claims: Json, roles: readonly string[]])[] = [
  [
    '"The caller is granted the role when the JWT claims match any map in the list (OR)."',
    { role: 'sources' },
    [S],
  ],
  ['… the other map of the list', { org: 'acme', team: 'eng' }, [S]],
  ['"Within one map every key-value pair must match (AND)."', { team: 'eng' }, []],
  ['… a key that is there with another value', { org: 'other', team: 'eng' }, []],
  [
    '"When a JWT claim is an array, a required value matches when any element equals it."',
    { role: ['x', 'entries'] },
    [E],
  ],
  ['… of which several match', { role: ['entries', 'sources', 'registries'] }, [S, R, E]],
  ['a list in a rule is satisfied by one of its values', { org: 'acme', team: ['hr', 'ops'] }, [S]],
  [
    'roles stand in the order of the table, a superAdmin is not expanded',
    { role: ['entries', 'admin'] },
    ['superAdmin', E],
  ],
  ['an empty map matches nobody', { anything: 'x' }, []],
  ['an empty list in a map matches nobody', { team: 'eng', more: [] }, []],
  ['names of claims are compared in their case', { group: 'Writers', level: '3' }, []],
  ['values are compared in their case', { Group: 'writers', level: '3' }, []],
  ['… and exactly', { Group: 'Writers', level: '3' }, [E]],
  ['a number is no text', { Group: 'Writers', level: 3 }, []],
  ['an element that is no text counts for nothing', { role: [{ role: 'admin' }, 7, null, ['admin']] }, []],
  ['an empty array matches nothing', { role: [] }, []],
  ['no claim, no role', {}, []],
];

/** Requests that need one role. Each uses its own names. */
const OPERATIONS = {
  manageSources: [
    ['create', 'PUT', '/v1/sources/{new}', { managed: {}, claims: { org: 'acme' } }, 201],
    ['update', 'PUT', '/v1/sources/{source}', { managed: {}, claims: { org: 'acme' } }, 200],
    ['delete', 'DELETE', '/v1/sources/{source}', undefined, 204],
    ['list', 'GET', '/v1/sources', undefined, 200],
    ['read', 'GET', '/v1/sources/{source}', undefined, 200],
    ['list entries of', 'GET', '/v1/sources/{source}/entries', undefined, 200],
  ],
  manageRegistries: [
    ['create', 'PUT', '/v1/registries/{new}', { sources: ['published'], claims: { org: 'acme' } }, 201],
    ['update', 'PUT', '/v1/registries/{registry}', { sources: ['published'], claims: { org: 'acme' } }, 200],
    ['delete', 'DELETE', '/v1/registries/{registry}', undefined, 204],
    ['list', 'GET', '/v1/registries', undefined, 200],
    ['read', 'GET', '/v1/registries/{registry}', undefined, 200],
    ['list entries of', 'GET', '/v1/registries/{registry}/entries', undefined, 200],
  ],
  manageEntries: [
    ['publish', 'POST', '/v1/entries?source=published', { server: '{new}', claims: { org: 'acme' } }, 201],
    [
      'publish a version of',
      'POST',
      '/v1/entries?source=published',
      { server: '{server}', claims: { org: 'acme' } },
      201,
    ],
    ['delete', 'DELETE', '/v1/entries/server/{server}/versions/1.0.0', undefined, 204],
    [
      'publish a skill',
      'POST',
      '/v1/entries?source=published',
      { skill: '{new}', claims: { org: 'acme' } },
      201,
    ],
    ['delete a skill', 'DELETE', '/v1/entries/skill/{skill}/versions/1.0.0', undefined, 204],
    ['read the claims of', 'GET', '/v1/entries/server/{server}/claims', undefined, 200],
    ['change the claims of', 'PUT', '/v1/entries/server/{server}/claims', { claims: { org: 'acme' } }, 204],
    ['deprecate', 'PATCH', '/v1/entries/server/{server}/status', { status: 'deprecated' }, 200],
  ],
} as const;

const ROLE_CLAIM = {
  manageSources: 'sources',
  manageRegistries: 'registries',
  manageEntries: 'entries',
} as const;
const ROLE_NAMES = ['manageSources', 'manageRegistries', 'manageEntries'] as const;
const STATEMENTS = {
  manageSources: '"Create, update, delete and list sources via the admin API."',
  manageRegistries: '"Create, update, delete and list registries via the admin API."',
  manageEntries: '"Publish and delete MCP server versions and skills."',
} as const;

const auth = { authz: { roles: ROLES } };

onEachEngine('section 2, roles', { mode: 'full', config: CONFIG, auth }, (scene) => {
  for (const [statement, claims, roles] of RESOLVED) {
    it(`${statement}: ${JSON.stringify(claims)}`, async () => {
      expect(await scene().person(claims).roles()).to.deep.equal(roles);
    });
  }

  for (const role of ROLE_NAMES) {
    it(`${role}: ${STATEMENTS[role]}`, async () => {
      const { person, admin } = scene();
      const holder = person({ org: 'acme', role: ROLE_CLAIM[role] });
      for (const [what, method, path, body, expected] of OPERATIONS[role]) {
        const request = await prepare(admin, path, body);
        const { status, text } = await holder.send(method, request.path, request.body);
        expect(status, `${what}: ${text}`).to.equal(expected);
      }
    });

    it(`${role} permits no operation of another role`, async () => {
      const { person, admin } = scene();
      const holder = person({ org: 'acme', role: ROLE_CLAIM[role] });
      for (const other of ROLE_NAMES.filter((name) => name !== role)) {
        for (const [what, method, path, body] of OPERATIONS[other]) {
          const request = await prepare(admin, path, body);
          const answer = await holder.send(method, request.path, request.body);
          expect(answer.status, `${other}: ${what}`).to.equal(403);
          expect(answer.json()['code']).to.equal('ERR_ROLE_MISSING');
        }
      }
    });
  }

  it('the three other roles together pass no check of claims', async () => {
    const { person, admin } = scene();
    const holder = person({ org: 'acme', role: Object.values(ROLE_CLAIM) });
    const hidden = await admin.published({ org: 'other' });
    expect(await holder.asks('GET', '/registry/abroad/v0.1/servers')).to.equal(403);
    expect(await holder.asks('GET', readPath(hidden))).to.equal(404);
    expect(await holder.asks('DELETE', `${entryPath(hidden)}/versions/1.0.0`)).to.equal(404);
    expect((await holder.publish(newName(), { org: 'other' })).status).to.equal(403);
  });

  it('reading needs claims, but no role', async () => {
    const { person, admin } = scene();
    const name = await admin.published({ org: 'acme' });
    expect(await person({ org: 'acme' }).asks('GET', readPath(name))).to.equal(200);
  });

  describe('superAdmin', () => {
    it('"access any registry regardless of its claims"', async () => {
      const { admin } = scene();
      for (const name of ['main', 'abroad', 'bare']) {
        expect(await admin.asks('GET', `/registry/${name}/v0.1/servers`), name).to.equal(200);
        expect(await admin.asks('GET', `/v1/registries/${name}`), name).to.equal(200);
      }
      expect(await admin.administers('registries')).to.include.members(['main', 'abroad', 'bare']);
    });

    it('"see all entries regardless of source or entry claims"', async () => {
      const { admin } = scene();
      const source = newLabel();
      const registry = newLabel();
      await admin.must('PUT', `/v1/sources/${source}`, { managed: {} });
      await admin.must('PUT', `/v1/registries/${registry}`, { sources: ['published', source] });
      const names = [
        await admin.published({ org: 'other' }),
        await admin.published(undefined),
        await admin.published({ org: 'other', team: ['x', 'y'] }, { source }),
      ];
      expect(await admin.listed(registry)).to.include.members(names);
      for (const name of names)
        expect(await admin.asks('GET', readPath(name, '1.0.0', registry)), name).to.equal(200);
      const raw = await admin.rawEntries(`/v1/registries/${registry}`);
      expect(raw.map(({ name }) => name)).to.include.members(names);
    });

    it('"manage any source or registry, even with claims outside their JWT"', async () => {
      const { admin } = scene();
      for (const claims of [{ org: 'other' }, { org: ['x', 'y'], team: 'z' }, {}, undefined]) {
        const source = `/v1/sources/${newLabel()}`;
        const registry = `/v1/registries/${newLabel()}`;
        const about = JSON.stringify(claims);
        expect(await admin.asks('PUT', source, { managed: {}, claims }), about).to.equal(201);
        expect(await admin.asks('PUT', source, { managed: {}, claims: { org: 'third' } }), about).to.equal(
          200,
        );
        const definition = { sources: [source.slice('/v1/sources/'.length)], claims };
        expect(await admin.asks('PUT', registry, definition), about).to.equal(201);
        expect(await admin.asks('PUT', registry, { ...definition, claims: { org: 'third' } })).to.equal(200);
        expect(await admin.asks('DELETE', registry), about).to.equal(204);
        expect(await admin.asks('DELETE', source), about).to.equal(204);
      }
    });

    it('"publish and delete entries without claim validation"', async () => {
      const { admin } = scene();
      for (const claims of [undefined, {}, { org: 'other' }, { nobody: ['has', 'this'] }]) {
        const name = newName();
        const about = JSON.stringify(claims);
        expect((await admin.publish(name, claims)).status, about).to.equal(201);
        expect(await admin.asks('GET', `${entryPath(name)}/claims`), about).to.equal(200);
        expect(await admin.asks('PUT', `${entryPath(name)}/claims`, { claims: { a: 'b' } })).to.equal(204);
        expect(await admin.asks('DELETE', `${entryPath(name)}/versions/1.0.0`), about).to.equal(204);
      }
    });

    it('"All operations": every operation of the other roles', async () => {
      const { admin } = scene();
      for (const role of ROLE_NAMES) {
        for (const [what, method, path, body, expected] of OPERATIONS[role]) {
          const request = await prepare(admin, path, body);
          const { status, text } = await admin.send(method, request.path, request.body);
          expect(status, `${what}: ${text}`).to.equal(expected);
        }
      }
    });

    it('must obey every rule that does not concern claims', async () => {
      const { admin } = scene();
      expect(await admin.asks('PUT', '/v1/sources/published', { managed: {} })).to.equal(403);
      expect(await admin.asks('GET', '/v1/sources/absent')).to.equal(404);
      expect(await admin.asks('PUT', `/v1/sources/${newLabel()}`, {})).to.equal(400);
      expect((await admin.publish('no-namespace', { org: 'acme' })).status).to.equal(400);
    });
  });
});

/** Makes the resource of a request, and inserts its name into the path and the body. */
async function prepare(
  admin: Person,
  path: string,
  body: unknown,
): Promise<{ readonly path: string; readonly body: unknown }> {
  const claims = { org: 'acme' };
  const label = newLabel();
  const makers: Readonly<Record<string, () => Promise<string>>> = {
    new: () => Promise.resolve(label),
    source: async () => {
      await admin.must('PUT', `/v1/sources/${label}`, { managed: {}, claims });
      return label;
    },
    registry: async () => {
      await admin.must('PUT', `/v1/registries/${label}`, { sources: ['published'], claims });
      return label;
    },
    server: async () => await admin.published(claims),
    skill: async () => await admin.publishedExtension('skill', claims),
  };
  const text = JSON.stringify([path, body]);
  const [, kind] = /\{(\w+)\}/.exec(text) ?? [];
  const name = kind === undefined ? '' : ((await makers[kind]?.()) ?? '');
  return {
    path: path.replace(/\{\w+\}/, encodeURIComponent(name)),
    body: withDocument(body, name, kind === 'new' ? '1.0.0' : '1.1.0'),
  };
}

function withDocument(body: unknown, name: string, version: string): unknown {
  if (typeof body !== 'object' || body === null) return body;
  if ('server' in body)
    return { ...body, server: serverDocument(name.includes('/') ? name : `com.acme/${name}`, version) };
  if ('skill' in body)
    return { ...body, skill: { namespace: 'com.acme', name, description: 'A skill.', version } };
  return body;
}
