import { expect } from 'chai';
import { json, refusalOf } from './support/responses.ts';
import { MemoryReader, row } from './support/memory-reader.ts';
import { startServer, type TestServer } from './support/start-server.ts';

const SKILLS = '/registry/main/v0.1/x/dev.toolhive/skills';

interface ExtensionList {
  readonly skills: readonly Extension[];
  readonly plugins: readonly Extension[];
  readonly metadata: { readonly count: number; readonly nextCursor?: string };
}

interface Extension {
  readonly namespace: string;
  readonly name: string;
  readonly version: string;
  readonly status: string;
}

describe('endpoints of skills and plugins', () => {
  let server: TestServer;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  const listed = async (path: string): Promise<readonly string[]> => {
    const { skills } = await json<ExtensionList>(server.get(path));
    return skills.map(({ namespace, name, version, status }) => `${namespace}/${name}@${version} ${status}`);
  };

  const visible = [
    'com.acme/old@1.0.0 DEPRECATED',
    'com.acme/shelved@1.0.0 ARCHIVED',
    'com.acme/team/deep@1.0.0 ACTIVE',
    'com.acme/triage@0.3.0 ACTIVE',
  ];

  it('list the latest versions, with and without a slash at the end', async () => {
    expect(await listed(SKILLS)).to.deep.equal(visible);
    expect(await listed(`${SKILLS}/`)).to.deep.equal(visible);
    expect(await listed(SKILLS.replace('v0.1', 'v0'))).to.deep.equal(visible);
  });

  it('list all versions with registry metadata for other registries', async () => {
    const path = SKILLS.replace('dev.toolhive', 'dev.portolan');
    const answer = await server.get(`${path}?limit=2&include_deleted=true`);
    expect(answer.headers.get('portolan-tag-covers')).to.equal('list');
    const { skills, metadata } = await json<{
      readonly skills: readonly {
        readonly skill: Extension;
        readonly _meta: Readonly<Record<string, unknown>>;
      }[];
      readonly metadata: { readonly nextCursor: string };
    }>(server.get(`${path}?limit=2&include_deleted=true`));
    expect(skills[1]?.['_meta']).to.deep.equal({
      'io.modelcontextprotocol.registry/official': {
        status: 'archived',
        statusChangedAt: '2026-01-10T12:00:00.000Z',
        publishedAt: '2026-01-10T12:00:00.000Z',
        updatedAt: '2026-01-10T12:00:00.000Z',
        isLatest: true,
      },
      'portolan.dev': { origin: 'here' },
    });
    const versions = skills.map(({ skill }) => `${skill.name}@${skill.version}`);
    let { nextCursor } = metadata;
    while (nextCursor !== undefined) {
      const page = await json<{
        readonly skills: readonly { readonly skill: Extension }[];
        readonly metadata: { readonly nextCursor: string };
      }>(server.get(`${path}?limit=2&cursor=${nextCursor}`));
      versions.push(...page.skills.map(({ skill }) => `${skill.name}@${skill.version}`));
      ({ nextCursor } = page.metadata);
    }
    expect(versions).to.deep.equal([
      'old@1.0.0',
      'shelved@1.0.0',
      'deep@1.0.0',
      'triage@0.1.0',
      'triage@0.3.0',
      'withdrawn@1.0.0',
    ]);
  });

  const filters = [
    { query: 'status=active', expected: visible.slice(2) },
    { query: 'status=Deprecated', expected: visible.slice(0, 1) },
    { query: 'status=active,DEPRECATED', expected: [...visible.slice(0, 1), ...visible.slice(2)] },
    { query: 'status=active%2C%20deprecated,archived', expected: visible },
    { query: 'status=archived', expected: ['com.acme/shelved@1.0.0 ARCHIVED'] },
    { query: 'search=TRI', expected: visible.slice(3) },
    { query: 'limit=1', expected: visible.slice(0, 1) },
  ];
  for (const { query, expected } of filters) {
    it(`filter by ${query}`, async () => {
      expect(await listed(`${SKILLS}?${query}`)).to.deep.equal(expected);
    });
  }

  for (const query of ['limit=0', 'limit=101', 'limit=x', 'status=gone', 'status=active,', 'cursor=abc']) {
    it(`reject ${query}`, async () => {
      expect((await server.get(`${SKILLS}?${query}`)).status).to.equal(400);
    });
  }

  it('continue with the cursor alone, which includes the filter', async () => {
    const first = await json<ExtensionList>(server.get(`${SKILLS}?limit=1&status=active`));
    const next = first.metadata.nextCursor;
    const second = await json<ExtensionList>(server.get(`${SKILLS}?limit=1&cursor=${next}`));
    expect([...first.skills, ...second.skills].map(({ name }) => name)).to.deep.equal(['deep', 'triage']);
    expect(second.metadata).to.deep.equal({ count: 1 });
    const contradiction = server.get(`${SKILLS}?status=deprecated&cursor=${next}`);
    expect(await refusalOf(contradiction)).to.equal('400 ERR_CURSOR_INVALID');
  });

  it('show the published document with its status', async () => {
    expect(await json(server.get(`${SKILLS}/com.acme/triage`))).to.deep.equal({
      namespace: 'com.acme',
      description: 'A skill',
      name: 'triage',
      version: '0.3.0',
      status: 'ACTIVE',
      license: 'MIT',
    });
  });

  it('list versions, newest first', async () => {
    const expected = ['com.acme/triage@0.3.0 ACTIVE', 'com.acme/triage@0.1.0 ACTIVE'];
    expect(await listed(`${SKILLS}/com.acme/triage/versions`)).to.deep.equal(expected);
    const one = await json<Extension>(server.get(`${SKILLS}/com.acme/triage/versions/0.1.0`));
    expect(one.version).to.equal('0.1.0');
    const latest = await json<Extension>(server.get(`${SKILLS}/com.acme/triage/versions/latest`));
    expect(latest.version).to.equal('0.3.0');
  });

  it('find a namespace that contains a slash', async () => {
    const { name } = await json<Extension>(server.get(`${SKILLS}/com.acme%2Fteam/deep`));
    expect(name).to.equal('deep');
  });

  const missing = [
    'com.acme/none',
    'com.acme/none/versions',
    'com.acme/triage/versions/9',
    'com.acme/withdrawn',
    'com.acme/bundle',
  ];
  for (const path of missing) {
    it(`respond 404 to ${path}`, async () => {
      expect(await refusalOf(server.get(`${SKILLS}/${path}`))).to.equal('404 ERR_ENTRY_NOT_FOUND');
    });
  }

  for (const path of ['com.acme/a%2Fb', 'com.acme/a%20b', 'com.acme/%00', `${'n'.repeat(129)}/a`]) {
    it(`reject ${path.slice(0, 30)}`, async () => {
      expect(await refusalOf(server.get(`${SKILLS}/${path}`))).to.equal('400 ERR_PARAMETER_INVALID');
    });
  }

  it('list plugins separately', async () => {
    const { plugins } = await json<ExtensionList>(server.get(SKILLS.replace('skills', 'plugins')));
    expect(plugins.map(({ name }) => name)).to.deep.equal(['bundle']);
  });

  it('return 50 rows per page by default', async () => {
    const rows = Array.from({ length: 60 }, (_, index) => row({ type: 'skill', name: `com.acme/s${index}` }));
    const many = await startServer({ reader: new MemoryReader({ main: { rows } }) });
    const { metadata } = await json<ExtensionList>(many.get(SKILLS));
    expect(metadata.count).to.equal(50);
    await many.close();
  });
});
