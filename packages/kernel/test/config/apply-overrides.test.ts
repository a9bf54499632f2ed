import { expect } from 'chai';
import { composeSchema } from '../../src/validation/compose-schema.ts';
import { listSettings, OTHER_ENVIRONMENT_NAMES } from '../../src/config/environment-names.ts';
import { warnOfUnknownNames } from '../../src/config/apply-overrides.ts';
import { NOTHING_SHIPPED } from '../../src/plugins/plugin-origins.ts';
import { problemsOf } from '../../src/index.ts';
import { bootKernel } from '../../src/server/boot.ts';
import { checkConfig } from '../../src/validation/check-config.ts';
import { nameKinds } from '../../src/kinds/kind-table.ts';
import { noKinds } from '../support/no-kinds.ts';
import { basePlugin, bootOptions, errorOf, smallConfig } from '../support/test-context.ts';

const noNames = nameKinds(noKinds, NOTHING_SHIPPED, 'registry-server');
const core = composeSchema({
  kinds: noKinds,
  names: noNames,
  mode: undefined,
  middleware: [],
  usesAudit: false,
  exporter: undefined,
  pages: [],
});

describe('overrides by environment and flags', () => {
  const set = async (environment: Record<string, string>, value: unknown = smallConfig(), flags = {}) =>
    (await checkConfig(bootOptions({ value, environment, flags }))).config;

  it('set settings that the file contains, and settings that it does not contain', async () => {
    const environment = {
      PORTOLAN_DATABASE_MAXOPENCONNS: '7',
      PORTOLAN_DATABASE_URL: 'sqlite:x.db',
      PORTOLAN_SERVER_COMPRESS: 'false',
      PORTOLAN_SERVER_CORS_ENABLED: '0',
      PORTOLAN_TELEMETRY_METRICS_ENABLED: 'TRUE',
    };
    const config = await set(environment, smallConfig({ database: { maxOpenConns: 3 } }));
    expect(config.database).to.include({ maxOpenConns: 7, url: 'sqlite:x.db' });
    expect(config.server).to.include({ compress: false });
    expect(config.server.cors.enabled).to.equal(false);
    expect(config.telemetry.metrics.enabled).to.equal(true);
  });

  it('apply in order: flag, environment, file, default', async () => {
    const value = smallConfig({ server: { address: ':1', requestTimeout: '1s', shutdownTimeout: '1s' } });
    const environment = { PORTOLAN_SERVER_ADDRESS: ':2', PORTOLAN_SERVER_REQUESTTIMEOUT: '2s' };
    const { server } = await set(environment, value, {
      'server.address': ':3',
      'server.internalAddress': undefined,
    });
    expect(server).to.include({
      address: ':3',
      requestTimeout: '2s',
      shutdownTimeout: '1s',
      internalAddress: '127.0.0.1:8081',
    });
  });

  it('complete a file without auth before its validation', async () => {
    const value = smallConfig({ auth: undefined });
    expect((await set({ PORTOLAN_AUTH_MODE: 'open' }, value)).auth.mode).to.equal('open');
    expect(
      (await set({ PORTOLAN_AUTH_MODE: 'nonsense' }, value, { 'auth.mode': 'open' })).auth.mode,
    ).to.equal('open');
  });

  it('set options of the auth provider', async () => {
    let realm: unknown;
    const provider = basePlugin.contributes?.authProviders?.[0];
    expect(provider).not.to.equal(undefined);
    const watched = {
      ...provider!,
      kind: 'watched',
      create: (config: { realm: string }) => {
        realm = config.realm;
        return { verify: async () => undefined, identify: () => undefined };
      },
    };
    const kernel = await bootKernel(
      bootOptions({
        value: smallConfig({ auth: { mode: 'watched' } }),
        environment: { PORTOLAN_AUTH_WATCHED_REALM: 'elsewhere' },
        pluginObjects: [
          { plugin: { name: 'watched', apiVersion: 2, contributes: { authProviders: [watched] } } },
        ],
      }),
    );
    await kernel.close();
    expect(realm).to.equal('elsewhere');
  });

  it('have no effect when they are empty', async () => {
    expect((await set({ PORTOLAN_SERVER_ADDRESS: '' })).server.address).to.equal('127.0.0.1:8080');
  });

  const faults = [
    {
      name: 'PORTOLAN_DATABASE_MAXOPENCONNS',
      text: 'many',
      place: 'database.maxOpenConns',
      found: '"many" in PORTOLAN_DATABASE_MAXOPENCONNS',
      expected: 'a whole number',
    },
    {
      name: 'PORTOLAN_DATABASE_MAXOPENCONNS',
      text: '0',
      place: 'database.maxOpenConns',
      found: '0 in PORTOLAN_DATABASE_MAXOPENCONNS',
      expected: 'a whole number from 1 to 1000',
    },
    {
      name: 'PORTOLAN_DATABASE_MAXOPENCONNS',
      text: '9007199254740993',
      place: 'database.maxOpenConns',
      found: '"9007199254740993"',
      expected: 'a whole number',
    },
    {
      name: 'PORTOLAN_SERVER_COMPRESS',
      text: 'maybe',
      place: 'server.compress',
      found: '"maybe" in PORTOLAN_SERVER_COMPRESS',
      expected: 'true or false',
    },
    {
      name: 'PORTOLAN_SERVER_ADDRESS',
      text: 'here',
      place: 'server.address',
      found: '"here" in PORTOLAN_SERVER_ADDRESS',
      expected: 'HOST:PORT',
    },
    {
      name: 'PORTOLAN_DATABASE_URL',
      text: 'hunter2',
      place: 'database.url',
      found: 'an address that is not shown in PORTOLAN_DATABASE_URL',
      expected: 'sqlite:PATH',
    },
    {
      name: 'PORTOLAN_DATABASE_URL',
      text: '${NOWHERE}',
      place: 'database.url',
      found: 'a reference to NOWHERE, which is not set, in PORTOLAN_DATABASE_URL',
      expected: 'an environment variable that is set',
    },
    {
      name: 'PORTOLAN_AUTH_MODE',
      text: 'oepn',
      place: 'auth.mode',
      found: '"oepn" in PORTOLAN_AUTH_MODE',
      expected: 'open',
    },
  ];
  for (const { name, text, place, found, expected } of faults) {
    it(`are named in the problem about ${name}=${text}`, async () => {
      const error = await errorOf(() => set({ [name]: text }));
      const [problem, ...rest] = problemsOf(error);
      expect(rest).to.deep.equal([]);
      expect(problem?.place).to.equal(place);
      expect(problem?.found).to.include(found);
      expect(problem?.expected).to.include(expected);
      expect(error.message).not.to.include('hunter2');
    });
  }

  it('leave a section that is not a map unchanged', async () => {
    const error = await errorOf(() => set({ PORTOLAN_SERVER_ADDRESS: ':1' }, smallConfig({ server: 'x' })));
    expect(problemsOf(error).map(({ place }) => place)).to.deep.equal(['server']);
  });
});

describe('warnOfUnknownNames', () => {
  const cases = [
    { title: 'a setting', names: ['PORTOLAN_SERVER_ADDRESS'], expected: [] },
    {
      title: 'known names that are not settings',
      names: OTHER_ENVIRONMENT_NAMES.map(({ name }) => name),
      expected: [],
    },
    { title: 'names of other programs', names: ['PATH', 'PORT', 'XPORTOLAN_A'], expected: [] },
    {
      title: 'a misspelt setting',
      names: ['PORTOLAN_SERVER_ADRESS'],
      expected: [
        'the environment variable PORTOLAN_SERVER_ADRESS is no setting; did you mean PORTOLAN_SERVER_ADDRESS?',
      ],
    },
    {
      title: 'an unrelated name',
      names: ['PORTOLAN_X'],
      expected: ['the environment variable PORTOLAN_X is no setting'],
    },
    {
      title: 'a setting of a known kind that is not in use',
      names: ['PORTOLAN_AUTH_OAUTH_REALM'],
      expected: [],
    },
  ];
  for (const { title, names, expected } of cases) {
    it(`returns ${expected.length === 0 ? 'nothing' : 'one sentence'} about ${title}`, () => {
      const environment = Object.fromEntries(names.map((name) => [name, '1']));
      expect(warnOfUnknownNames(environment, core.settings, ['PORTOLAN_AUTH_OAUTH_'])).to.deep.equal(
        expected,
      );
    });
  }
});

describe('listSettings', () => {
  it('returns a variable for every setting of the core', () => {
    const names = core.settings.map(({ environmentName }) => environmentName);
    expect(new Set(names).size).to.equal(names.length);
    expect(names).to.include.members([
      'PORTOLAN_AUTH_MODE',
      'PORTOLAN_DATABASE_MAXOPENCONNS',
      'PORTOLAN_SERVER_CORS_ENABLED',
    ]);
    for (const name of names) expect(name).to.match(/^PORTOLAN_[A-Z0-9_]+$/);
  });

  it('omits lists and maps with free keys', () => {
    const block = {
      type: 'object',
      properties: {
        list: { type: 'array', items: { type: 'string' } },
        map: { type: 'object', additionalProperties: { type: 'string' } },
        one: { type: 'string' },
      },
    } as const;
    expect(
      listSettings(block, ['auth', 'my-door']).map(({ environmentName }) => environmentName),
    ).to.deep.equal(['PORTOLAN_AUTH_MY_DOOR_ONE']);
  });
});
