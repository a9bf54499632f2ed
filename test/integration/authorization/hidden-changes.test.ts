import { startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { RegistryInProcess } from '../../support/registry-in-process.ts';
import { serverDocument } from '../../support/pages/admin-world.ts';

const BASE = '/registry/main/v0.1';
const ENG = { org: 'acme', team: 'eng' };
const DATA = { org: 'acme', team: 'data' };

/** Every kind of read whose response has an entity tag. */
const PATHS: Readonly<Record<string, string>> = {
  list: `${BASE}/servers`,
  'page of a list': `${BASE}/servers?version=latest&limit=1`,
  search: `${BASE}/servers?search=seen`,
  versions: `${BASE}/servers/com.acme%2Fseen/versions`,
  version: `${BASE}/servers/com.acme%2Fseen/versions/1.0.0`,
  'list of skills': `${BASE}/x/dev.portolan/skills`,
};

/** Reads of a caller with the entity tags of the previous responses. */
class Reader {
  readonly #url: string;
  readonly #token: string;

  constructor(registry: RegistryInProcess, token: string) {
    this.#url = registry.url;
    this.#token = token;
  }

  async get(path: string, tag = ''): Promise<Response> {
    return await fetch(this.#url + path, {
      headers: { authorization: `Bearer ${this.#token}`, ...(tag === '' ? {} : { 'if-none-match': tag }) },
    });
  }

  async tags(): Promise<Readonly<Record<string, string>>> {
    const tags = await Promise.all(
      Object.entries(PATHS).map(async ([what, path]) => {
        const response = await this.get(path);
        expect(response.status, what).to.equal(200);
        return [what, response.headers.get('etag') ?? ''] as const;
      }),
    );
    return Object.fromEntries(tags);
  }
}

describe('entity tags after changes of entries that the caller cannot see', () => {
  let issuer: TestIssuer;
  let registry: RegistryInProcess;
  let eng: Reader;
  let admin: Reader;
  let adminToken: string;
  before(async () => {
    issuer = await startTestIssuer();
    const token = (claims: object): string => issuer.sign({ sub: 'somebody', ...claims });
    adminToken = token({ role: 'admin', org: 'acme' });
    const provider = {
      name: 'test',
      issuerUrl: issuer.issuerUrl,
      audience: 'portolan',
      allowPrivateIP: true,
    };
    registry = await RegistryInProcess.start(
      {
        auth: {
          mode: 'oauth',
          oauth: { resourceUrl: 'https://registry.example', providers: [provider] },
          authz: { roles: { superAdmin: [{ role: 'admin' }] } },
        },
        sources: [{ name: 'own', managed: {} }],
        registries: [{ name: 'main', sources: ['own'], claims: { org: 'acme' } }],
      },
      adminToken,
    );
    eng = new Reader(registry, token(ENG));
    admin = new Reader(registry, adminToken);
    await publish('seen', ENG);
  });
  after(async () => {
    await registry?.stop();
    await issuer?.close();
  });

  async function publish(name: string, claims: object, version = '1.0.0'): Promise<void> {
    const body = { server: serverDocument(`com.acme/${name}`, version), claims };
    expect((await registry.send('POST', '/v1/entries', body)).status).to.equal(201);
  }

  const change = async (method: string, target: string, body?: object): Promise<void> => {
    const { status } = await registry.send(method, target, body);
    expect(status).to.be.within(200, 204);
  };

  it('stay the same for that caller, and change for an administrator', async () => {
    const steps: Readonly<Record<string, () => Promise<void>>> = {
      publish: () => publish('hidden', DATA),
      'publish a version': () => publish('hidden', DATA, '1.1.0'),
      'set a status': () =>
        change('PATCH', '/v1/entries/server/com.acme%2Fhidden/versions/1.0.0/status', {
          status: 'deprecated',
        }),
      'set claims': () =>
        change('PUT', '/v1/entries/server/com.acme%2Fhidden/claims', { claims: { ...DATA, site: 'oslo' } }),
      delete: () => change('DELETE', '/v1/entries/server/com.acme%2Fhidden/versions/1.0.0'),
    };
    for (const [what, step] of Object.entries(steps)) {
      const seen = await eng.tags();
      const all = await admin.tags();
      await step();
      expect(await eng.tags(), what).to.deep.equal(seen);
      expect((await admin.tags())['list'], what).to.not.equal(all['list']);
      for (const [read, path] of Object.entries(PATHS)) {
        const response = await eng.get(path, seen[read]);
        expect(response.status, `${what}, ${read}`).to.equal(304);
        expect(response.headers.get('etag')).to.equal(seen[read]);
        expect(await response.text()).to.equal('');
      }
    }
  });

  it('cover a whole list only for callers who can see everything', async () => {
    const path = `${BASE}/servers`;
    expect((await admin.get(path)).headers.get('portolan-tag-covers')).to.equal('list');
    const response = await eng.get(path);
    expect(response.headers.get('portolan-tag-covers')).to.equal(null);
    expect(response.headers.get('portolan-view')).to.be.a('string');
  });

  it('change for each response with an entry that the caller can see', async () => {
    const before = await eng.tags();
    await publish('seen', ENG, '1.1.0');
    const after = await eng.tags();
    for (const read of ['list', 'page of a list', 'search', 'versions']) {
      expect(after[read], read).to.not.equal(before[read]);
      expect((await eng.get(PATHS[read] ?? '', before[read])).status, read).to.equal(200);
    }
    expect(after['list of skills']).to.equal(before['list of skills']);
  });

  it('are invalid for callers with other rights', async () => {
    const data = new Reader(registry, issuer.sign({ sub: 'other', ...DATA }));
    const tag = (await eng.get(`${BASE}/x/dev.portolan/skills`)).headers.get('etag') ?? '';
    expect((await data.get(`${BASE}/x/dev.portolan/skills`, tag)).status).to.equal(200);
  });
});
