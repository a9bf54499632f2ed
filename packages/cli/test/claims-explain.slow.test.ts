import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type CommandOptions, RunningPortolan, runPortolan } from '../../../test/support/command-line.ts';
import { refusal, StubRegistry } from '../../../test/support/stub-registry.ts';

const CATALOGUE = {
  version: '1.0.0',
  data: {
    servers: [
      {
        $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
        name: 'com.acme/notes',
        description: 'Keeps notes.',
        version: '1.0.0',
      },
      {
        $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
        name: 'com.acme/untold',
        version: '1.0.0',
      },
    ],
  },
};

/** A plugin with an auth provider that reads claims from the token itself, and a hook that adds a role. */
const PLUGIN = `
const claimsOf = (token) => JSON.parse(Buffer.from(token, 'base64url').toString());
export default {
  name: 'words', apiVersion: 2,
  contributes: { authProviders: [{
    kind: 'words', hosts: ['registry-server'], identifies: true, config: { type: 'object', properties: {} },
    create: () => ({
      verify: (ctx, next) => next(),
      identify: () => undefined,
      async explainToken(token) {
        const [first, second] = ['old', 'corp'].map((provider) => ({ provider, issuer: 'https://' + provider + '.acme.example' }));
        const refused = { ...first, accepted: false, because: 'The token is another issuer\\'s.' };
        if (token === 'bad') return [refused, { ...second, accepted: false, because: 'The token has expired.' }];
        const identity = { subject: 'u-1842', claims: claimsOf(token), provider: 'corp' };
        return [refused, { ...second, accepted: true, because: 'Signature, issuer and audience are right.', identity }];
      },
    }),
  }] },
  apply({ hooks }) {
    hooks.resolveRoles.tap('words', (roles, { claims }) => claims.team === 'ops' ? [...roles, 'manageSources'] : roles);
  },
};`;

const CONFIG = `
plugins: [./words.mjs]
sources:
  - { name: catalogue, file: { path: ./catalogue.json }, syncPolicy: { interval: 30m }, claims: { org: acme, team: maps } }
  - { name: secret, file: { path: ./catalogue.json }, syncPolicy: { interval: 30m }, claims: { team: ops } }
registries:
  - { name: main, sources: [secret, catalogue], claims: { org: acme } }
  - { name: closed, sources: [catalogue], claims: { org: other } }
auth:
  mode: words
  words: {}
  claims: { team: /groups/team }
  authz: { roles: { manageEntries: [ { org: acme, team: [maps, ops] } ] } }
database: { url: "sqlite:./registry.db" }
server: { address: "127.0.0.1:0", internalAddress: "off" }
`;

describe('portolan claims explain', function () {
  this.timeout(180_000); // each case starts a process

  let folder: string;
  let stub: StubRegistry;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-explain-'));
    await writeFile(path.join(folder, 'words.mjs'), PLUGIN);
    await writeFile(path.join(folder, 'portolan.config.yaml'), CONFIG);
    await writeFile(path.join(folder, 'catalogue.json'), JSON.stringify(CATALOGUE));
    await writeFile(
      path.join(folder, 'anonymous.yaml'),
      CONFIG.replace(/^auth:\n(?: .*\n)+/m, 'auth: { mode: anonymous }\n'),
    );
    stub = await StubRegistry.start(() => ({ status: 204 }));
  });
  after(async () => {
    await stub.stop();
    await rm(folder, { recursive: true, force: true });
  });
  const explain = async (
    claims: object | string | undefined,
    args: readonly string[],
    options: CommandOptions = {},
  ) => {
    const token =
      typeof claims === 'string' ? claims : Buffer.from(JSON.stringify(claims ?? {})).toString('base64url');
    return await runPortolan(
      ['claims', 'explain', ...args, ...(claims === undefined ? [] : ['--token-file', '-'])],
      {
        cwd: folder,
        stdin: token,
        ...options,
      },
    );
  };
  const explained = async (claims: object | string | undefined, args: readonly string[]) => {
    const { status, stdout, stderr } = await explain(claims, [...args, '--format', 'json']);
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    return JSON.parse(stdout);
  };
  const MAPS = { org: 'acme', groups: { team: 'maps' } };

  it('shows which provider accepts the token and which rule grants which role', async () => {
    const { status, stdout, stderr } = await explain(MAPS, ['--registry', 'main']);
    expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    expect(stdout).to.equal(
      [
        'mode      full',
        'caller    u-1842, provider corp',
        '',
        'TOKEN',
        "  refused   old (https://old.acme.example): The token is another issuer's.",
        '  accepted  corp (https://corp.acme.example): Signature, issuer and audience are right.',
        '',
        'ROLES',
        '  no   superAdmin        Not granted: auth.authz.roles.superAdmin has no rules.',
        '  no   manageSources     Not granted: auth.authz.roles.manageSources has no rules.',
        '  no   manageRegistries  Not granted: auth.authz.roles.manageRegistries has no rules.',
        '  yes  manageEntries     Granted by auth.authz.roles.manageEntries[0].',
        '       rule 0 matches',
        '         KEY   REQUIRED   HELD  RESULT',
        '         org   acme       acme  matches',
        '         team  maps, ops  maps  matches',
        '',
        'REGISTRY main',
        '  Open: the caller holds every claim that is required.',
        '    KEY  REQUIRED  HELD  RESULT',
        '    org  acme      acme  matches',
        '',
      ].join('\n'),
    );
  });

  it('applies the claim mapping and the role hook', async () => {
    const { roles, caller } = await explained({ org: 'acme', groups: { team: 'ops' } }, []);
    expect(caller.roles).to.deep.equal(['manageSources', 'manageEntries']);
    expect(roles[1]).to.include({ role: 'manageSources', held: true, because: 'hook' });
  });

  it('explains a token that every provider rejects', async () => {
    const { providers, caller, registry } = await explained('bad', ['--registry', 'main']);
    expect(providers.map((one: { accepted: boolean }) => one.accepted)).to.deep.equal([false, false]);
    expect(caller).to.equal(null);
    expect(registry).to.include({ allowed: false, because: 'no-identity' });
  });

  it('uses the token of the environment without --token-file', async () => {
    const token = Buffer.from(JSON.stringify(MAPS)).toString('base64url');
    const { status, stdout } = await explain(
      undefined,
      ['--config', 'portolan.config.yaml', '--format', 'json'],
      {
        env: { PORTOLAN_TOKEN: token },
      },
    );
    expect(status).to.equal(0);
    expect(JSON.parse(stdout).caller).to.include({ subject: 'u-1842' });
    expect(stdout).not.to.include(token);
  });

  it('explains access of a reader without a token', async () => {
    const { providers, registry } = await explained(undefined, ['--registry', 'main']);
    expect(providers).to.equal(null);
    expect(registry.because).to.equal('no-identity');
  });

  it('explains anonymous mode', async () => {
    const { mode, registry } = await explained(undefined, [
      '--config',
      'anonymous.yaml',
      '--registry',
      'closed',
    ]);
    expect(mode).to.equal('anonymous');
    expect(registry).to.include({ allowed: true, because: 'anonymous' });
  });

  it('shows neither the token nor its other claims', async () => {
    const token = Buffer.from(JSON.stringify({ ...MAPS, secret: 'sesame' })).toString('base64url');
    const { stdout, stderr } = await explain(token, ['--registry', 'main', '--format', 'json']);
    expect(stdout + stderr)
      .not.to.include(token)
      .and.not.to.include('sesame');
  });

  const mistakes = [
    {
      title: 'a registry that does not exist',
      args: ['--registry', 'mian'],
      says: 'there is no registry "mian"',
    },
    {
      title: 'an entry in one of several registries',
      args: ['--entry', 'server/a/b'],
      says: 'expected --registry',
    },
    { title: 'an entry without a type', args: ['--entry', 'a/b'], says: 'expected TYPE/NAME' },
    {
      title: 'both a file and a server',
      args: ['--config', 'x.yaml', '--url', 'http://127.0.0.1:2'],
      says: 'one of',
    },
  ];
  for (const { title, args, says } of mistakes) {
    it(`exits with status 2 for ${title}`, async () => {
      const { status, stderr } = await explain(MAPS, args);
      expect(stderr).to.include(says);
      expect(status).to.equal(2);
    });
  }

  describe('for entries in the database', () => {
    const entry = ['--registry', 'main', '--entry', 'server/com.acme/notes'];

    it('creates no database', async () => {
      const { entry: found, notes } = await explained(MAPS, entry);
      expect(found).to.include({
        shownFrom: null,
        sentence: 'No entry of this name is there for the caller.',
      });
      expect(notes).to.deep.equal([
        'The database does not exist yet, or has an older layout: no entries are known.',
      ]);
      expect(await readdir(folder)).not.to.include('registry.db');
    });

    it('shows for every source with the entry whether it is visible, and which claims are missing', async () => {
      const running = new RunningPortolan(['serve'], { cwd: folder });
      await running.logged('source synced');
      await eventually(() =>
        expect(running.log.filter(({ msg }) => msg === 'source synced')).to.have.length(2),
      );
      await running.stop();
      const maps = await explained(MAPS, entry);
      expect(maps.entry.shownFrom).to.equal('catalogue');
      expect(
        maps.entry.sources.map((one: { source: string; because: string }) => [one.source, one.because]),
      ).to.deep.equal([
        ['secret', 'claims-missing'],
        ['catalogue', 'claims'],
      ]);
      const { stdout } = await explain({ org: 'acme' }, entry);
      expect(stdout).to.include(
        [
          'ENTRY server com.acme/notes',
          '  Not shown: the caller may see it in none of the sources that have it.',
          '  source secret: Closed: a required claim is missing, or has another value.',
          '    KEY   REQUIRED  HELD      RESULT',
          '    team  ops       (absent)  does not match',
          '  source catalogue: Closed: a required claim is missing, or has another value.',
          '    KEY   REQUIRED  HELD      RESULT',
          '    org   acme      acme      matches',
          '    team  maps      (absent)  does not match',
        ].join('\n'),
      );
    });

    it('N8 › names the source that left out an entry, the reason, and the command that shows its report', async () => {
      const { stdout } = await explain(MAPS, ['--registry', 'closed', '--entry', 'server/com.acme/untold']);
      expect(stdout)
        .to.include('ENTRY server com.acme/untold\n')
        .and.match(
          /^ {2}Source catalogue left it out: .*description.* \(data\.servers\[1\] \(com\.acme\/untold\)\)$/m,
        )
        .and.include('  `portolan sources show catalogue` shows the rest.\n')
        .and.not.include('No entry of this name')
        .and.not.include('secret');
      const { entry: found } = await explained(MAPS, [
        '--registry',
        'main',
        '--entry',
        'server/com.acme/untold',
      ]);
      expect(found.sentence).to.equal('Not shown: sources "catalogue", "secret" left it out.');
    });
  });

  describe('with a running server', () => {
    const ANSWER = {
      mode: 'full',
      caller: { subject: 'u-1842', roles: [] },
      roles: [],
      registry: {
        name: 'main',
        allowed: false,
        because: 'claims-missing',
        sentence: 'Closed: a required claim is missing, or has another value.',
        keys: [{ key: 'org', required: null, held: ['acme'], matches: false }],
      },
    };

    it("shows the server's explanation of the token", async () => {
      stub.answers(() => ({ status: 200, body: ANSWER }));
      const args = ['--url', stub.url, '--registry', 'main', '--entry', 'server/com.acme/notes'];
      const { status, stdout } = await explain('sesame', args, { env: { PORTOLAN_CONFIG: 'x.yaml' } });
      expect(status).to.equal(0);
      expect(stdout)
        .to.include('REGISTRY main\n  Closed: ')
        .and.to.include('org  (withheld)  acme  does not match');
      expect(stub.seen[0]).to.deep.include({
        method: 'POST',
        path: '/v1/authz/explain',
        body: { registry: 'main', entry: { type: 'server', name: 'com.acme/notes' } },
      });
      expect(stub.seen[0]?.headers.authorization).to.equal('Bearer sesame');
    });

    it('N8 › shows which sources left out an entry, and prints no command that the server sends', async () => {
      const skip = { skipped: 'data.servers[3]', because: 'It has no description.' };
      const entry = {
        type: 'server',
        name: 'com.acme/notes',
        shown: false,
        shownFrom: null,
        sentence: 'Not shown.',
        sources: [],
        skipped: [
          { source: 'catalogue', ...skip },
          { source: '$(touch x)`', ...skip },
        ],
      };
      stub.answers(() => ({ status: 200, body: { ...ANSWER, entry } }));
      const args = ['--url', stub.url, '--registry', 'main', '--entry', 'server/com.acme/notes'];
      const { stdout } = await explain('sesame', args);
      expect(stdout)
        .to.include('  Source catalogue left it out: It has no description. (data.servers[3])\n')
        .and.include('  `portolan sources show catalogue` shows the rest.\n')
        .and.include('  `portolan sources show NAME` shows the rest.\n');
      stub.answers(() => ({ status: 200, body: { ...ANSWER, entry: { ...entry, skipped: [{}] } } }));
      const unusable = await explain('sesame', args);
      expect(unusable.stderr).to.include('JSON that is not an explanation');
    });

    it('does not suggest `claims explain` when the token is rejected', async () => {
      for (const status of [401, 403]) {
        stub.answers(() => ({ status, body: { error: 'No.', code: 'ERR_TOKEN_INVALID' } }));
        const { stderr } = await explain('sesame', ['--url', stub.url]);
        expect(stderr).to.include('`portolan claims explain --config FILE` shows what is wrong');
      }
    });

    it('reports a refusal and an invalid response', async () => {
      stub.answers(() => refusal(403, 'ERR_FORBIDDEN', 'Not you.'));
      expect(await explain('sesame', ['--url', stub.url])).to.include({ status: 1, stdout: '' });
      stub.answers(() => ({ status: 200, body: { mode: 'full', roles: [{}] } }));
      const { status, stderr } = await explain('sesame', ['--url', stub.url]);
      expect(status).to.equal(1);
      expect(stderr).to.include('JSON that is not an explanation');
    });
  });
});
