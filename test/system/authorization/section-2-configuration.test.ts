import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { stringify } from 'yaml';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import { inlineSource, type Json, serverDocument } from '../../support/registry-under-test.ts';
import { onEachEngine } from './on-each-engine.ts';

const PROVIDER = { name: 'company', issuerUrl: 'https://sso.acme.example', audience: 'registry' };
const OAUTH = {
  mode: 'oauth',
  oauth: { resourceUrl: 'https://registry.acme.example', providers: [PROVIDER] },
};
const MANAGED = { name: 'published', managed: {}, claims: { org: 'acme' } };
const MAIN = { name: 'main', sources: ['published'], claims: { org: 'acme' } };
const WHOLE: Json = {
  sources: [MANAGED, inlineSource('catalog', { org: 'acme', team: ['eng', 'ops'] }, [])],
  registries: [MAIN],
  auth: {
    ...OAUTH,
    authz: {
      roles: {
        superAdmin: [{ role: 'admin' }],
        manageSources: [{ org: 'acme', team: ['eng', 'ops'] }],
        manageRegistries: [],
        manageEntries: [{ role: 'entries' }, { org: 'acme' }],
      },
    },
  },
  database: { url: 'sqlite::memory:' },
};

const OTHER = { name: 'other', managed: {} };

/** Invalid configurations with one or more faults, and the words that the message has to contain for each. */
const REFUSED: readonly (readonly [what: string, config: Json, mentioned: readonly string[]])[] = [
  ['auth.mode left out', { ...WHOLE, auth: { oauth: OAUTH.oauth } }, ['auth.mode', 'oauth', 'anonymous']],
  [
    'auth.mode of another value',
    { ...WHOLE, auth: { ...OAUTH, mode: 'none' } },
    ['auth.mode', '"none"', 'oauth', 'anonymous'],
  ],
  ['mode oauth without the providers', { ...WHOLE, auth: { mode: 'oauth' } }, ['auth.oauth']],
  [
    'providers without name, issuerUrl and audience, or with what is no URL',
    {
      ...WHOLE,
      auth: {
        ...OAUTH,
        oauth: {
          providers: [
            { ...PROVIDER, name: undefined },
            { ...PROVIDER, issuerUrl: undefined },
            { ...PROVIDER, audience: undefined },
            { ...PROVIDER, issuerUrl: 'sso' },
          ],
        },
      },
    },
    [
      'auth.oauth.providers[0].name',
      'auth.oauth.providers[1].issuerUrl',
      'auth.oauth.providers[2].audience',
      'auth.oauth.providers[3].issuerUrl',
    ],
  ],
  [
    'roles that do not exist, that are no list of maps, or whose values are no texts',
    {
      ...WHOLE,
      auth: {
        ...OAUTH,
        authz: {
          roles: {
            manageEverything: [],
            superAdmin: { role: 'admin' },
            manageSources: ['sources'],
            manageEntries: [{ role: 'entries' }, { level: 3 }],
          },
        },
      },
    },
    [
      'manageEverything',
      'auth.authz.roles.superAdmin',
      'auth.authz.roles.manageSources[0]',
      'auth.authz.roles.manageEntries[1].level',
    ],
  ],
  [
    'sources with two kinds or none, claims that are no texts, registries of sources that are not there',
    {
      ...WHOLE,
      sources: [
        MANAGED,
        { ...OTHER, file: { data: '{"data":{}}' } },
        { name: 'third' },
        { name: 'fourth', managed: {}, claims: { level: 3 } },
        { name: 'fifth', managed: {}, claims: 'acme' },
      ],
      registries: [
        { ...MAIN, sources: ['absent'] },
        { ...MAIN, name: 'second', claims: { teams: [['eng']] } },
      ],
      auth: { ...OAUTH, publicPaths: ['/registry'] },
    },
    [
      'sources[1]',
      'sources[2]',
      'sources[3].claims.level',
      'sources[4].claims',
      'registries[0].sources[0]',
      'registries[1].claims.teams',
      'auth.publicPaths[0]',
    ],
  ],
];

describe('section 2, configuration', function () {
  this.timeout(180_000);
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-acceptance-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const run = async (name: string, config: Json, ...command: readonly string[]): Promise<Finished> => {
    const file = path.join(folder, `${name.replaceAll(/\W/g, '-')}.yaml`);
    await writeFile(file, stringify(config));
    return await runPortolan([...command, '--config', file], { cwd: folder });
  };

  it('every key of the table is accepted', async () => {
    const { status, stderr } = await run('whole', WHOLE, 'config', 'check');
    expect(status, stderr).to.equal(0);
  });

  it('`serve` without auth.mode exits with status 2 and names both modes', async () => {
    const { status, stderr } = await run('serve', { ...WHOLE, auth: undefined }, 'serve');
    expect(status).to.equal(2);
    expect(stderr).to.include('oauth').and.include('anonymous');
  });

  for (const [what, config, mentioned] of REFUSED) {
    it(`\`config check\` exits with status 2 and names each place: ${what}`, async () => {
      const { status, stderr } = await run(what, config, 'config', 'check');
      expect(status, stderr).to.equal(2);
      for (const text of mentioned) expect(stderr).to.include(text);
    });
  }
});

const SERVED: Json = {
  sources: [
    { name: 'published', managed: {}, claims: { org: 'acme' } },
    inlineSource('catalog', { org: 'acme', team: ['eng', 'ops'] }, [serverDocument('com.acme/listed')]),
  ],
  registries: [{ name: 'main', sources: ['published', 'catalog'], claims: { org: ['acme', 'other'] } }],
};

onEachEngine(
  'section 2, an auth.authz block that is empty',
  { mode: 'full', config: SERVED, auth: { authz: {} } },
  (scene) => {
    it('"auth.mode = oauth and an auth.authz block present": full authorization, without roles for any caller', async () => {
      const { person } = scene();
      const caller = person({ org: 'acme', team: 'eng', role: ['admin', 'superAdmin'] });
      expect(await caller.roles()).to.deep.equal([]);
      expect(await caller.asks('GET', '/v1/sources')).to.equal(403);
    });

    it('SIGHUP applies changed roles; an invalid file changes nothing, and the log says why', async () => {
      const { server, person } = scene();
      const caller = person({ org: 'acme', role: 'newcomer' });
      const file = path.join(server.folder, 'portolan.config.yaml');
      const before = await readFile(file, 'utf8');
      const reread = async (authz: string): Promise<void> => {
        await writeFile(file, before.replace('authz: {}', `authz: ${authz}`));
        server.process.kill('SIGHUP');
      };
      expect(await caller.roles()).to.deep.equal([]);
      await reread('{ roles: { manageEntries: [{ role: newcomer }] } }');
      await eventually(async () => (await caller.roles()).includes('manageEntries'));
      await reread('{ roles: { manageNothing: [] } }');
      await eventually(() =>
        server.process.log.some((line) => JSON.stringify(line).includes('manageNothing')),
      );
      expect(await caller.roles()).to.deep.equal(['manageEntries']);
      await reread('{}');
      await eventually(async () => (await caller.roles()).length === 0);
    });

    it('claims in the configuration may be lists; one matching value is enough to read', async () => {
      const { person } = scene();
      const member = person({ org: 'acme', team: 'ops' });
      await member.awaits('com.acme/listed');
      expect(await person({ org: 'acme', team: 'hr' }).listed()).to.deep.equal([]);
      expect(await person({ org: 'other', team: 'ops' }).listed()).to.deep.equal([]);
      expect(await person({ org: 'third', team: 'ops' }).asks('GET', '/registry/main/v0.1/servers')).to.equal(
        403,
      );
    });
  },
);

async function eventually(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 40_000; Date.now() < deadline; await delay(20))
    if (await holds()) return;
  throw new Error('it does not come to hold within 40 s');
}
