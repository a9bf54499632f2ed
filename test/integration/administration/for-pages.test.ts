import { expect } from 'chai';
import type { Json } from '../../support/counting-registry.ts';
import { RegistryInProcess } from '../../support/registry-in-process.ts';
import { TemporaryFolders } from '../../support/temporary-folders.ts';

/** Read operations of the admin API for forms and for programs with forms. */
describe('endpoints of the admin API for forms', () => {
  const folders = new TemporaryFolders();
  let registry: RegistryInProcess;
  before(async () => {
    registry = await RegistryInProcess.start({
      audit: { enabled: true, logFile: `${await folders.make()}/audit.log` },
      sources: [{ name: 'mine', managed: {} }],
      registries: [{ name: 'main', sources: ['mine'] }],
    });
  });
  after(async () => {
    await registry.stop();
    await folders.removeAll();
  });

  const get = async (target: string) => (await registry.send('GET', target)).body;

  it('GET /v1/source-kinds › describes every shipped source kind without fields for secrets', async () => {
    const { kinds } = (await get('/v1/source-kinds')) as unknown as {
      readonly kinds: readonly { kind: string; viaApi: boolean; claimsFrom: string; schema: Json }[];
    };
    expect(kinds.map(({ kind }) => kind)).to.include.members(['git', 'file', 'api', 'managed', 'kubernetes']);
    const git = kinds.find(({ kind }) => kind === 'git');
    expect(git).to.include({ viaApi: true, claimsFrom: 'source', needsInterval: false });
    expect(git?.schema).to.have.nested.property('properties.repository.type', 'string');
    expect(git?.schema).to.have.property('required').that.includes('repository');
    expect(kinds.find(({ kind }) => kind === 'managed')).to.include({
      viaApi: true,
      claimsFrom: 'publisher',
      needsInterval: false,
    });
    expect(kinds.find(({ kind }) => kind === 'api')).to.include({ needsInterval: true });
  });

  const refused: readonly { title: string; path: string; body: Json; places: readonly string[] }[] = [
    {
      title: 'a source',
      path: '/v1/sources/x',
      body: { git: { repo: 'x' }, syncPolicy: { interval: 'soon' } },
      places: ['syncPolicy.interval', 'git.repository', 'git.repo'],
    },
    {
      title: 'claims of a source',
      path: '/v1/sources/x',
      body: { managed: {}, claims: { a: 1 } },
      places: ['claims.a'],
    },
    {
      title: 'a registry',
      path: '/v1/registries/x',
      body: { sources: [], claims: { a: 1 }, public: true },
      places: ['public', 'sources', 'claims'],
    },
    {
      title: 'the name of a registry',
      path: '/v1/registries/-x',
      body: { sources: ['mine'] },
      places: ['name'],
    },
    {
      title: 'claims of a publication',
      path: '/v1/entries',
      body: { server: {}, claims: { a: 1 } },
      places: ['claims'],
    },
  ];
  for (const { title, path, body, places } of refused) {
    it(`names the place of each problem: ${title}`, async () => {
      const { status, body: answer } = await registry.send(
        path === '/v1/entries' ? 'POST' : 'PUT',
        path,
        body,
      );
      expect(status).to.equal(400);
      const issues = answer['issues'] as readonly { readonly path: string; readonly message: string }[];
      expect(issues.map((issue) => issue.path)).to.include.members([...places]);
      for (const { message } of issues) expect(message).to.match(/\S/);
    });
  }

  it('GET /v1/audit/events › returns the last requests', async () => {
    await registry.send('GET', '/v1/sources/nobody-has-this');
    const { events, metadata } = await get('/v1/audit/events?path=nobody-has-this&limit=1');
    expect(events).to.have.length(1);
    expect(events).to.have.nested.property('[0].type', 'source.read');
    expect(events).to.have.nested.property('[0].status', 404);
    expect(metadata).to.include({ count: 1, most: 10_000, forgotten: 0 });
    expect(metadata)
      .to.have.property('replica')
      .that.matches(/^[0-9a-f]{8}$/);
  });

  it('GET /v1/audit/events › rejects invalid filters with 400', async () => {
    for (const query of ['outcome=maybe', 'before=0', 'before=1.5', 'limit=x', `type=${'x'.repeat(65)}`]) {
      expect((await registry.send('GET', `/v1/audit/events?${query}`)).status, query).to.equal(400);
    }
  });

  it('GET /v1/audit/events › returns 404 when neither audit nor pages are on', async () => {
    const quiet = await RegistryInProcess.start({
      sources: [{ name: 'mine', managed: {} }],
      registries: [{ name: 'main', sources: ['mine'] }],
    });
    try {
      const { status, body } = await quiet.send('GET', '/v1/audit/events');
      expect([status, body['code']]).to.deep.equal([404, 'ERR_FEATURE_DISABLED']);
    } finally {
      await quiet.stop();
    }
  });
});
