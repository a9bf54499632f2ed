import { expect } from 'chai';
import { type CommandOptions, runPortolan } from '../../../test/support/command-line.ts';
import { refusal, StubRegistry } from '../../../test/support/stub-registry.ts';

describe('portolan entries', function () {
  this.timeout(180_000); // each case starts a process

  let stub: StubRegistry;
  before(async () => {
    stub = await StubRegistry.start(() => ({ status: 204 }));
  });
  beforeEach(() => {
    stub.answers(() => ({ status: 204 }));
  });
  after(async () => {
    await stub.stop();
  });
  const entries = (args: readonly string[], options: CommandOptions = {}) =>
    runPortolan(['entries', ...args], { env: { PORTOLAN_URL: stub.url }, ...options });
  const asked = () => stub.seen.map(({ method, path, query, body }) => ({ method, path, query, body }));

  describe('list', () => {
    const VERSION = { version: '1.0.0', title: 'Notes', description: 'Keeps notes.', status: 'active' };

    it('reads all pages of a source', async () => {
      stub.answers(({ query }) => ({
        status: 200,
        body:
          query['cursor'] === undefined
            ? {
                entries: [
                  {
                    entryType: 'MCP',
                    name: 'com.acme/notes',
                    claims: { org: 'acme', team: ['maps', 'tides'] },
                    versions: [{ ...VERSION, version: '2.0.0' }, VERSION],
                  },
                ],
                metadata: { nextCursor: 'next' },
              }
            : {
                entries: [{ entryType: 'SKILL', name: 'com.acme/triage', versions: [VERSION] }],
                metadata: {},
              },
      }));
      const { status, stdout, stderr } = await entries(['list', '--source', 'own']);
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
      expect(stdout).to.equal(
        [
          'TYPE    NAME             VERSION  STATUS  SOURCE  CLAIMS',
          'server  com.acme/notes   2.0.0    active  own     org=acme team=maps,tides',
          'server  com.acme/notes   1.0.0    active  own     org=acme team=maps,tides',
          'skill   com.acme/triage  1.0.0    active  own     -',
          '',
        ].join('\n'),
      );
      expect(asked().map(({ path, query }) => ({ path, query }))).to.deep.equal([
        { path: '/v1/sources/own/entries', query: { limit: '1000' } },
        { path: '/v1/sources/own/entries', query: { limit: '1000', cursor: 'next' } },
      ]);
    });

    it('filters the entries of a registry by type and text', async () => {
      const rows = [
        { entryType: 'MCP', name: 'com.acme/notes', sourceName: 'own', claims: { org: 'acme' }, ...VERSION },
        {
          entryType: 'MCP',
          name: 'com.acme/tides',
          sourceName: 'own',
          version: '1.0.0',
          description: 'Tides.',
        },
        { entryType: 'PLUGIN', name: 'com.acme/notes', sourceName: 'own', ...VERSION },
      ];
      stub.answers(() => ({ status: 200, body: { entries: rows } }));
      const selected = ['--registry', 'main', '--type', 'server', '--search', 'KEEPS'];
      const { stdout } = await entries(['list', ...selected, '--format', 'json']);
      expect(JSON.parse(stdout)).to.deep.equal({
        entries: [
          {
            type: 'server',
            name: 'com.acme/notes',
            version: '1.0.0',
            title: 'Notes',
            description: 'Keeps notes.',
            status: 'active',
            source: 'own',
            claims: { org: 'acme' },
            createdAt: null,
            updatedAt: null,
          },
        ],
      });
      expect(stub.seen[0]?.path).to.equal('/v1/registries/main/entries');
    });

    it('stops when a cursor repeats', async () => {
      stub.answers(() => ({ status: 200, body: { entries: [], metadata: { nextCursor: 'again' } } }));
      const { status, stderr } = await entries(['list', '--source', 'own']);
      expect(status).to.equal(1);
      expect(stderr).to.include('the same cursor twice');
    });

    for (const args of [[], ['--source', 'own', '--registry', 'main']]) {
      it(`exits with status 2 for "${args.join(' ')}"`, async () => {
        const { status, stderr } = await entries(['list', ...args]);
        expect(status).to.equal(2);
        expect(stderr).to.include('expected one of --registry and --source');
      });
    }
  });

  describe('delete', () => {
    it('deletes one version', async () => {
      const { status, stdout } = await entries(['delete', 'server/com.acme/notes', '1.0.0+1', '--yes']);
      expect({ status, stdout }).to.deep.equal({
        status: 0,
        stdout: 'deleted server com.acme/notes 1.0.0+1\n',
      });
      expect(asked()).to.deep.equal([
        {
          method: 'DELETE',
          path: '/v1/entries/server/com.acme%2Fnotes/versions/1.0.0%2B1',
          query: {},
          body: undefined,
        },
      ]);
    });

    it('asks for a confirmation, and exits with status 2 without a terminal', async () => {
      const { status, stderr } = await entries(['delete', 'server/com.acme/notes', '1.0.0']);
      expect(status).to.equal(2);
      expect(stderr).to.include('this command needs a confirmation').and.to.include('--yes');
      expect(stub.seen).to.deep.equal([]);
    });

    it("prints the server's refusal, and exits with status 1", async () => {
      stub.answers(() => refusal(404, 'ERR_ENTRY_NOT_FOUND', 'There is no such entry.'));
      const { status, stderr } = await entries(['delete', 'server/com.acme/notes', '1.0.0', '-y']);
      expect({ status, stderr }).to.deep.equal({ status: 1, stderr: 'error: There is no such entry.\n' });
    });

    it('does not read a version from standard input', async () => {
      const { status } = await entries(['delete', 'server/com.acme/notes', '--yes'], { stdin: '1.0.0' });
      expect(status).to.equal(2);
      expect(stub.seen).to.deep.equal([]);
    });
  });

  const changes = [
    {
      args: ['deprecate', 'server/com.acme/notes', '1.0.0', '--message', 'Use notes2.'],
      path: '/v1/entries/server/com.acme%2Fnotes/versions/1.0.0/status',
      body: { status: 'deprecated', statusMessage: 'Use notes2.' },
      prints: 'deprecated server com.acme/notes 1.0.0\n',
    },
    {
      args: ['deprecate', 'skill/com.acme/triage', '--source', 'own'],
      path: '/v1/entries/skill/com.acme%2Ftriage/status',
      query: { source: 'own' },
      body: { status: 'deprecated' },
      prints: 'deprecated 3 versions of skill com.acme/triage\n',
    },
    {
      args: ['withdraw', 'server/com.acme/notes', '1.0.0'],
      path: '/v1/entries/server/com.acme%2Fnotes/versions/1.0.0/status',
      body: { status: 'deleted' },
      prints: 'withdrawn server com.acme/notes 1.0.0\n',
    },
    {
      args: ['restore', 'server/com.acme/notes'],
      path: '/v1/entries/server/com.acme%2Fnotes/status',
      body: { status: 'active' },
      prints: 'restored 3 versions of server com.acme/notes\n',
    },
  ];
  for (const { args, path, query = {}, body, prints } of changes) {
    it(`changes the status for "${args.join(' ')}"`, async () => {
      stub.answers(() => ({ status: 200, body: { updatedCount: 3, servers: [] } }));
      expect(await entries(args)).to.include({ status: 0, stdout: prints, stderr: '' });
      expect(asked()).to.deep.equal([{ method: 'PATCH', path, query, body }]);
    });
  }

  describe('claims', () => {
    it('shows claims and revision', async () => {
      stub.answers(() => ({ status: 200, body: { claims: { org: 'acme' } }, headers: { ETag: '"r7"' } }));
      const { stdout } = await entries(['claims', 'get', 'server/com.acme/notes']);
      expect(stdout).to.equal('claims    org=acme\nrevision  "r7"\n');
      const json = await entries(['claims', 'get', 'server/com.acme/notes', '--format', 'json']);
      expect(JSON.parse(json.stdout)).to.deep.equal({
        type: 'server',
        name: 'com.acme/notes',
        claims: { org: 'acme' },
        revision: '"r7"',
      });
      expect(stub.seen[0]).to.include({ method: 'GET', path: '/v1/entries/server/com.acme%2Fnotes/claims' });
    });

    it('sets claims', async () => {
      const { status, stdout } = await entries([
        'claims',
        'set',
        'server/com.acme/notes',
        '--claim',
        'org=acme',
      ]);
      expect({ status, stdout }).to.deep.equal({
        status: 0,
        stdout: 'claims of server com.acme/notes: org=acme\n',
      });
      expect(stub.seen[0]).to.deep.include({ method: 'PUT', body: { claims: { org: 'acme' } } });
      expect(stub.seen[0]?.headers).not.to.have.property('if-match');
    });

    it('clears claims, with --if-match only those of a revision', async () => {
      await entries(['claims', 'set', 'server/com.acme/notes', '--clear', '--if-match', 'r7']);
      expect(stub.seen[0]?.body).to.deep.equal({ claims: {} });
      expect(stub.seen[0]?.headers['if-match']).to.equal('"r7"');
    });

    for (const args of [[], ['--clear', '--claim', 'org=acme']]) {
      it(`exits with status 2 for "${args.join(' ')}"`, async () => {
        const { status, stderr } = await entries(['claims', 'set', 'server/com.acme/notes', ...args]);
        expect(status).to.equal(2);
        expect(stderr).to.include('expected one of --claim and --clear');
        expect(stub.seen).to.deep.equal([]);
      });
    }
  });
});
