import { join } from 'node:path';
import type { Plugin } from '@portolan/plugin-api';
import { expect } from 'chai';
import type { ConfigProblem } from '../../src/faults/config-problem.ts';
import { problemsOf } from '../../src/index.ts';
import { bootKernel } from '../../src/server/boot.ts';
import { checkConfig } from '../../src/validation/check-config.ts';
import { bootOptions, errorOf, Folders, smallConfig, withKernel } from '../support/test-context.ts';

async function problemsIn(
  value: unknown,
  more: Parameters<typeof bootOptions>[0] = {},
): Promise<readonly ConfigProblem[]> {
  const error = await errorOf(() => bootKernel(bootOptions({ value, ...more })));
  expect(error.code).to.equal('ERR_CONFIG_INVALID');
  return problemsOf(error);
}

const notes = { name: 'notes', memo: { text: 'hello' }, syncPolicy: { interval: '5m' } };
const main = { name: 'main', sources: ['notes'] };
const withSource = (more: object): unknown => smallConfig({ sources: [{ ...notes, ...more }] });
const withRegistry = (more: object): unknown => smallConfig({ registries: [{ ...main, ...more }] });

/** A kind whose sources never change by themselves, unless their text says so. */
const fixedPlugin: Plugin = {
  name: 'fixed-plugin',
  apiVersion: 2,
  contributes: {
    sources: [
      {
        kind: 'fixed',
        claimsFrom: 'source',
        config: { type: 'object', properties: { text: { type: 'string', description: 'x' } } },
        isFixed: ({ text }) => text === 'hello',
        create: () => ({ readEntries: async function* () {} }),
      },
    ],
  },
};

/** One fault each: the configuration, the place, and what the message says. */
/** A database that takes tokens. */
const rds = {
  host: 'db.example',
  port: 5432,
  user: 'app',
  database: 'registry',
  dynamicAuth: { awsRdsIam: { region: 'eu-central-1' } },
};

const cases: readonly {
  readonly title: string;
  readonly value: unknown;
  readonly place: string;
  readonly found: string;
  readonly expected: string;
  readonly didYouMean?: string;
}[] = [
  {
    title: 'an infinite number',
    value: smallConfig({ server: { pageCacheBytes: Number.POSITIVE_INFINITY } }),
    place: 'server.pageCacheBytes',
    found: 'Infinity',
    expected: 'a whole number, 0 or more',
  },
  {
    title: 'a trusted proxy that is a host name',
    value: smallConfig({ server: { trustedProxies: ['10.0.0.0/8', 'proxy.acme.example'] } }),
    place: 'server.trustedProxies[1]',
    found: '"proxy.acme.example"',
    expected: 'an address such as 10.1.2.3, or a range such as 10.0.0.0/8',
  },
  {
    title: 'a CIDR range with too many bits',
    value: smallConfig({ server: { trustedProxies: ['10.0.0.0/33'] } }),
    place: 'server.trustedProxies[0]',
    found: '"10.0.0.0/33"',
    expected: 'an address such as 10.1.2.3, or a range such as 10.0.0.0/8',
  },
  {
    title: 'a request timeout of zero',
    value: smallConfig({ server: { requestTimeout: '0s' } }),
    place: 'server.requestTimeout',
    found: '"0s"',
    expected: 'a duration from 1ms to 24h',
  },
  {
    title: 'a timeout that no timer supports',
    value: smallConfig({ server: { shutdownTimeout: '720h' } }),
    place: 'server.shutdownTimeout',
    found: '"720h"',
    expected: 'a duration from 0 to 24h',
  },
  {
    title: 'an invalid database address',
    value: smallConfig({ database: { url: 'postgres://app:hunter2@[::1/x' } }),
    place: 'database.url',
    found: 'an address that is not shown',
    expected: 'sqlite:PATH',
  },
  { title: 'an empty configuration', value: undefined, place: '(root)', found: 'nothing', expected: 'a map' },
  { title: 'a list as the configuration', value: [], place: '(root)', found: 'a list', expected: 'a map' },
  {
    title: 'an unknown top-level key',
    value: smallConfig({ registreis: [] }),
    place: 'registreis',
    found: 'an unknown key',
    expected: 'one of $schema, plugins, sources',
    didYouMean: 'registries',
  },
  {
    title: 'no sources',
    value: smallConfig({ sources: undefined }),
    place: 'sources',
    found: 'nothing',
    expected: 'a list with at least one item',
  },
  {
    title: 'an empty list of sources',
    value: smallConfig({ sources: [], registries: [main] }),
    place: 'sources',
    found: 'an empty list',
    expected: 'a list with at least one item',
  },
  {
    title: 'a source without a name',
    value: smallConfig({ sources: [notes, { ...notes, name: undefined }] }),
    place: 'sources[1].name',
    found: 'nothing',
    expected: 'a name of lower-case letters',
  },
  {
    title: 'a source name with capital letters',
    value: smallConfig({ sources: [notes, { ...notes, name: 'Notes' }] }),
    place: 'sources[1].name',
    found: '"Notes"',
    expected: 'a name of lower-case letters',
  },
  {
    title: 'a source name of 64 characters',
    value: smallConfig({ sources: [notes, { ...notes, name: 'a'.repeat(64) }] }),
    place: 'sources[1].name',
    found: '"aaa',
    expected: 'at most 63 characters',
  },
  {
    title: 'two sources of one name',
    value: smallConfig({ sources: [notes, notes] }),
    place: 'sources[1].name',
    found: '"notes", as in sources[0]',
    expected: 'a name of its own',
  },
  {
    title: 'a source without a kind',
    value: withSource({ memo: undefined }),
    place: 'sources[0]',
    found: 'no kind',
    expected: 'exactly one of memo, inbox',
  },
  {
    title: 'a source with two kinds',
    value: withSource({ inbox: {} }),
    place: 'sources[0]',
    found: 'memo and inbox',
    expected: 'exactly one kind',
  },
  {
    title: 'an unknown kind',
    value: withSource({ memo: undefined, memmo: {} }),
    place: 'sources[0].memmo',
    found: 'an unknown key',
    expected: 'memo, inbox',
    didYouMean: 'memo',
  },
  {
    title: 'a kind that is null',
    value: withSource({ memo: null }),
    place: 'sources[0].memo',
    found: 'nothing (null)',
    expected: 'a map',
  },
  {
    title: 'an unknown key in a block',
    value: withSource({ memo: { text: 'a', limt: 1 } }),
    place: 'sources[0].memo.limt',
    found: 'an unknown key',
    expected: 'one of text, limit, token, headers',
    didYouMean: 'limit',
  },
  {
    title: 'a number out of range in a block',
    value: withSource({ memo: { text: 'a', limit: 11 } }),
    place: 'sources[0].memo.limit',
    found: '11',
    expected: 'a whole number from 1 to 10',
  },
  {
    title: 'an empty string in a block',
    value: withSource({ memo: { text: '' } }),
    place: 'sources[0].memo.text',
    found: '""',
    expected: 'a text that is not empty',
  },
  {
    title: 'a missing syncPolicy',
    value: withSource({ syncPolicy: undefined }),
    place: 'sources[0].syncPolicy.interval',
    found: 'nothing',
    expected: 'a duration such as 30m',
  },
  {
    title: 'a syncPolicy without an interval',
    value: withSource({ syncPolicy: {} }),
    place: 'sources[0].syncPolicy.interval',
    found: 'nothing',
    expected: 'a duration',
  },
  {
    title: 'an invalid interval',
    value: withSource({ syncPolicy: { interval: '5 minutes' } }),
    place: 'sources[0].syncPolicy.interval',
    found: '"5 minutes"',
    expected: 'a duration such as 30s',
  },
  {
    title: 'an interval of zero',
    value: withSource({ syncPolicy: { interval: '0s' } }),
    place: 'sources[0].syncPolicy.interval',
    found: '"0s"',
    expected: 'a duration above zero',
  },
  {
    title: 'a negative interval',
    value: withSource({ syncPolicy: { interval: '-5m' } }),
    place: 'sources[0].syncPolicy.interval',
    found: '"-5m"',
    expected: 'a duration',
  },
  {
    title: 'a filter of a managed source',
    value: smallConfig({ sources: [notes, { name: 'mail', inbox: {}, filter: {} }] }),
    place: 'sources[1].filter',
    found: 'a filter',
    expected: 'none',
  },
  {
    title: 'an unknown key in a filter',
    value: withSource({ filter: { name: {} } }),
    place: 'sources[0].filter.name',
    found: 'an unknown key',
    expected: 'one of names, tags',
    didYouMean: 'names',
  },
  {
    title: 'a claim that is a number',
    value: withSource({ claims: { org: 5 } }),
    place: 'sources[0].claims.org',
    found: 'a number',
    expected: 'a text or a list of texts',
  },
  {
    title: 'a claim that is a list of other types',
    value: withSource({ claims: { org: ['a', 1] } }),
    place: 'sources[0].claims.org[1]',
    found: '1',
    expected: 'a text',
  },
  {
    title: 'no registries',
    value: smallConfig({ registries: undefined }),
    place: 'registries',
    found: 'nothing',
    expected: 'a list with at least one item',
  },
  {
    title: 'a registry name with a slash',
    value: withRegistry({ name: 'a/b' }),
    place: 'registries[0].name',
    found: '"a/b"',
    expected: 'a name of letters, digits',
  },
  {
    title: 'a registry name with a space',
    value: withRegistry({ name: 'a b' }),
    place: 'registries[0].name',
    found: '"a b"',
    expected: 'a name of letters, digits',
  },
  {
    title: 'a registry name that ends in a dot',
    value: withRegistry({ name: 'a.' }),
    place: 'registries[0].name',
    found: '"a."',
    expected: 'a name of letters, digits',
  },
  {
    title: 'two registries of one name',
    value: smallConfig({ registries: [main, main] }),
    place: 'registries[1].name',
    found: '"main", as in registries[0]',
    expected: 'a name of its own',
  },
  {
    title: 'a registry without sources',
    value: withRegistry({ sources: [] }),
    place: 'registries[0].sources',
    found: 'an empty list',
    expected: 'a list with at least one item',
  },
  {
    title: 'a registry over an unknown source',
    value: withRegistry({ sources: ['nots'] }),
    place: 'registries[0].sources[0]',
    found: '"nots"',
    expected: 'the name of a source',
    didYouMean: 'notes',
  },
  {
    title: 'a registry with one source twice',
    value: withRegistry({ sources: ['notes', 'notes'] }),
    place: 'registries[0].sources[1]',
    found: '"notes" a second time',
    expected: 'each source once',
  },
  {
    title: 'no auth',
    value: smallConfig({ auth: undefined }),
    place: 'auth',
    found: 'nothing',
    expected: 'a map with "mode", one of open, oauth',
  },
  {
    title: 'no auth mode',
    value: smallConfig({ auth: {} }),
    place: 'auth.mode',
    found: 'nothing',
    expected: 'one of open, oauth',
  },
  {
    title: 'auth.requireClaims: false in a mode that identifies no caller',
    value: smallConfig({ auth: { mode: 'open', requireClaims: false } }),
    place: 'auth.requireClaims',
    found: 'false in the mode "open"',
    expected: 'no such key: this mode identifies nobody and never needs claims',
  },
  {
    title: 'an unknown auth mode',
    value: smallConfig({ auth: { mode: 'oath' } }),
    place: 'auth.mode',
    found: '"oath"',
    expected: 'one of open, oauth',
    didYouMean: 'oauth',
  },
  {
    title: 'an unknown key in auth',
    value: smallConfig({ auth: { mode: 'open', realm: 'x' } }),
    place: 'auth.realm',
    found: 'an unknown key',
    expected: 'one of mode, authz, publicPaths, claims, requireClaims, open, oauth',
  },
  {
    title: 'an unknown key in the block of the provider',
    value: smallConfig({ auth: { mode: 'open', open: { reelm: 'x' } } }),
    place: 'auth.open.reelm',
    found: 'an unknown key',
    expected: 'realm',
    didYouMean: 'realm',
  },
  {
    title: 'an unknown role',
    value: smallConfig({ auth: { mode: 'open', authz: { roles: { manageSource: [] } } } }),
    place: 'auth.authz.roles.manageSource',
    found: 'an unknown key',
    expected: 'one of superAdmin, manageSources, manageRegistries, manageEntries',
    didYouMean: 'manageSources',
  },
  {
    title: 'a role that is a rule instead of a list',
    value: smallConfig({ auth: { mode: 'open', authz: { roles: { superAdmin: { org: 'acme' } } } } }),
    place: 'auth.authz.roles.superAdmin',
    found: 'a map',
    expected: 'a list',
  },
  {
    title: 'a rule whose value is a number',
    value: smallConfig({ auth: { mode: 'open', authz: { roles: { superAdmin: [{ level: 9 }] } } } }),
    place: 'auth.authz.roles.superAdmin[0].level',
    found: 'a number',
    expected: 'a text or a list of texts',
  },
  {
    title: 'an empty authz (null)',
    value: smallConfig({ auth: { mode: 'open', authz: null } }),
    place: 'auth.authz',
    found: 'nothing (null)',
    expected: 'a map',
  },
  {
    title: 'a public path that serves data',
    value: smallConfig({ auth: { mode: 'open', publicPaths: ['/health', '/registry/main'] } }),
    place: 'auth.publicPaths[1]',
    found: '"/registry/main"',
    expected: 'data is made public with "public: true" on a registry',
  },
  {
    title: 'a claim from an invalid JSON pointer',
    value: smallConfig({ auth: { mode: 'open', claims: { roles: 'realm_access.roles' } } }),
    place: 'auth.claims.roles',
    found: '"realm_access.roles"',
    expected: 'a JSON pointer such as /realm_access/roles',
  },
  {
    title: 'public claims of a registry that is not public',
    value: withRegistry({ public: false, publicClaims: { org: 'acme' } }),
    place: 'registries[0].publicClaims',
    found: 'claims',
    expected: 'none: they count for readers without a token',
  },
  {
    title: 'a public claim that is a number',
    value: withRegistry({ public: true, publicClaims: { org: 5 } }),
    place: 'registries[0].publicClaims.org',
    found: 'a number',
    expected: 'a text or a list of texts',
  },
  {
    title: 'a host with a scheme where a host is expected',
    value: smallConfig({ apiSources: { allowedHosts: ['*.acme.example', 'https://acme.example'] } }),
    place: 'apiSources.allowedHosts[1]',
    found: '"https://acme.example"',
    expected: 'a host such as files.acme.example',
  },
  {
    title: 'an audit block without a plugin for it',
    value: smallConfig({ audit: {} }),
    place: 'audit',
    found: 'an unknown key',
    expected: 'one of $schema, plugins',
  },
  {
    title: 'a database that is a string',
    value: smallConfig({ database: 'postgres://app:hunter2@db.example/x' }),
    place: 'database',
    found: 'a text',
    expected: 'a map',
  },
  {
    title: 'a database address of another engine',
    value: smallConfig({ database: { url: 'mysql://app:hunter2@db.example/x' } }),
    place: 'database.url',
    found: 'an address that is not shown',
    expected: 'sqlite:PATH',
  },
  {
    title: 'a database address and a host',
    value: smallConfig({ database: { url: 'sqlite:a.db', host: 'db.example' } }),
    place: 'database',
    found: 'url and host',
    expected: 'either url',
  },
  {
    title: 'a database host without a port',
    value: smallConfig({ database: { host: 'db.example', user: 'app', database: 'registry' } }),
    place: 'database.port',
    found: 'nothing',
    expected: 'a value, since host, user, database are given',
  },
  {
    title: 'a token together with a password',
    value: smallConfig({ database: { ...rds, password: 'hunter2' } }),
    place: 'database.dynamicAuth',
    found: 'dynamicAuth and password',
    expected: 'one of the two',
  },
  {
    title: 'a token together with the password of migrations',
    value: smallConfig({ database: { ...rds, migrationPassword: 'hunter2' } }),
    place: 'database.dynamicAuth',
    found: 'dynamicAuth and migrationPassword',
    expected: 'one of the two',
  },
  {
    title: 'a token together with an address',
    value: smallConfig({ database: { url: 'postgres://db.example/x', dynamicAuth: rds.dynamicAuth } }),
    place: 'database.dynamicAuth',
    found: 'dynamicAuth and url',
    expected: 'host, port, user and database',
  },
  {
    title: 'a token without host, port, user and database',
    value: smallConfig({ database: { dynamicAuth: rds.dynamicAuth } }),
    place: 'database.dynamicAuth',
    found: 'dynamicAuth without host',
    expected: 'host, port, user and database',
  },
  {
    title: 'a token without TLS',
    value: smallConfig({ database: { ...rds, sslMode: 'disable' } }),
    place: 'database.sslMode',
    found: '"disable"',
    expected: 'TLS, without which RDS takes no token',
  },
  {
    title: 'a token without a region',
    value: smallConfig({ database: { ...rds, dynamicAuth: { awsRdsIam: {} } } }),
    place: 'database.dynamicAuth.awsRdsIam.region',
    found: 'nothing',
    expected: 'a text that matches',
  },
  {
    title: 'a region that is an address',
    value: smallConfig({ database: { ...rds, dynamicAuth: { awsRdsIam: { region: 'a.b/c' } } } }),
    place: 'database.dynamicAuth.awsRdsIam.region',
    found: '"a.b/c"',
    expected: '',
  },
  {
    title: 'an invalid port',
    value: smallConfig({ database: { host: 'h', port: 70000, user: 'u', database: 'd' } }),
    place: 'database.port',
    found: '70000',
    expected: 'a whole number from 1 to 65535',
  },
  {
    title: 'an unknown TLS mode',
    value: smallConfig({ database: { sslMode: 'requre' } }),
    place: 'database.sslMode',
    found: '"requre"',
    expected: 'one of disable, require',
    didYouMean: 'require',
  },
  {
    title: 'a number instead of a string',
    value: smallConfig({ server: { address: 8080 } }),
    place: 'server.address',
    found: '8080',
    expected: 'a text such as 127.0.0.1:8080',
  },
  {
    title: 'an address without a port',
    value: smallConfig({ server: { address: 'localhost' } }),
    place: 'server.address',
    found: '"localhost"',
    expected: 'HOST:PORT',
  },
  {
    title: 'an internal address that is neither an address nor off',
    value: smallConfig({ server: { internalAddress: 'on' } }),
    place: 'server.internalAddress',
    found: '"on"',
    expected: 'or "off"',
  },
  {
    title: 'two listeners at one address',
    value: smallConfig({ server: { address: ':9000', internalAddress: 'localhost:9000' } }),
    place: 'server.internalAddress',
    found: '"localhost:9000", where server.address listens',
    expected: 'another port',
  },
  {
    title: 'a public address without a scheme',
    value: smallConfig({ server: { publicUrl: 'acme.example' } }),
    place: 'server.publicUrl',
    found: '"acme.example"',
    expected: 'an address with its scheme',
  },
  {
    title: 'a public address that is not a web address',
    value: smallConfig({ server: { publicUrl: 'ftp://acme.example' } }),
    place: 'server.publicUrl',
    found: '"ftp://acme.example"',
    expected: 'https://',
  },
  {
    title: 'an origin with a path',
    value: smallConfig({ server: { cors: { allowedOrigins: ['https://acme.example/x'] } } }),
    place: 'server.cors.allowedOrigins[0]',
    found: '"https://acme.example/x"',
    expected: 'an origin',
  },
  {
    title: 'a string instead of a boolean',
    value: smallConfig({ telemetry: { metrics: { enabled: 'yes' } } }),
    place: 'telemetry.metrics.enabled',
    found: '"yes"',
    expected: 'true or false',
  },
  {
    title: 'plugins that are not a list',
    value: smallConfig({ plugins: 'a' }),
    place: 'plugins',
    found: 'a text',
    expected: 'a list',
  },
  {
    title: 'a plugin that is a number',
    value: smallConfig({ plugins: [1] }),
    place: 'plugins[0]',
    found: 'a number',
    expected: 'a name, a path, or a map',
  },
  {
    title: 'a plugin without the key use',
    value: smallConfig({ plugins: [{ options: {} }] }),
    place: 'plugins[0].use',
    found: 'nothing',
    expected: 'a text that is not empty',
  },
  {
    title: 'a plugin with an unknown key',
    value: smallConfig({ plugins: [{ use: './plugins/without-options.js', opptions: {} }] }),
    place: 'plugins[0].opptions',
    found: 'an unknown key',
    expected: 'one of use, options, override',
    didYouMean: 'options',
  },
  {
    title: 'middleware of an unknown kind',
    value: smallConfig({ middleware: { audit: {} } }),
    place: 'middleware.audit',
    found: 'an unknown key',
    expected: 'a kind of a plugin that is listed in "plugins"',
  },
  {
    title: 'a key __proto__',
    value: JSON.parse(`{"__proto__":{},${JSON.stringify(smallConfig()).slice(1)}`),
    place: '__proto__',
    found: 'a key that is not allowed',
    expected: 'another name',
  },
  {
    title: 'a function',
    value: smallConfig({ server: { address: () => 'x' } }),
    place: 'server.address',
    found: 'a function',
    expected: 'plain data',
  },
];

const shipped = { sources: {}, authProviders: { oauth: '@acme/not-installed' }, middleware: {} };

describe('validateConfig', () => {
  const folders = new Folders();
  afterEach(() => folders.removeAll());

  for (const { title, value, place, found, expected, didYouMean } of cases) {
    it(`reports ${title}`, async () => {
      const problems = await problemsIn(value, { shipped });
      expect(problems.map((problem) => problem.place)).to.include(place);
      const problem = problems.find((one) => one.place === place);
      expect(problem?.found).to.include(found);
      expect(problem?.expected).to.include(expected);
      expect(problem?.didYouMean).to.equal(didYouMean);
      expect(JSON.stringify(problems)).not.to.include('hunter2');
    });

    it(`reports no other problem for ${title}`, async () => {
      const others = (await problemsIn(value, { shipped })).filter((problem) => problem.place !== place);
      // A source that lost its name or is gone is also missed by the registry that names it.
      expect(others.filter((problem) => problem.expected !== 'the name of a source')).to.deep.equal([]);
    });
  }

  it('reports all ten problems of a configuration in the order of the file', async () => {
    const text = [
      '$schema: ./schema.json',
      'sources:',
      '  - name: Notes',
      '    memo: { text: hello, limit: 0 }',
      '    syncPolicy: { interval: soon }',
      '  - name: mail',
      '    inbox: {}',
      '    memo: { text: x }',
      '    claims: { org: 5 }',
      'registries:',
      '  - name: my registry',
      '    sources: [maill, mail]',
      'auth:',
      '  mode: opn',
      'database:',
      '  url: mysql://hunter2@db.example/x',
      'server:',
      '  adress: ":80"',
    ];
    const folder = await folders.create({ 'a.yaml': text.join('\n') });
    const error = await errorOf(() => bootKernel(bootOptions({ configFile: join(folder, 'a.yaml') })));
    expect(error.message).to.match(/a\.yaml has 10 problems\n/);
    expect(problemsOf(error).map(({ place, line, column }) => `${line}:${column} ${place}`)).to.deep.equal([
      '3:5 sources[0].name',
      '4:26 sources[0].memo.limit',
      '5:19 sources[0].syncPolicy.interval',
      '6:5 sources[1]',
      '9:15 sources[1].claims.org',
      '11:5 registries[0].name',
      '12:15 registries[0].sources[0]',
      '14:3 auth.mode',
      '16:3 database.url',
      '18:3 server.adress',
    ]);
    expect(error.message).not.to.include('hunter2');
  });

  it('sets defaults, and returns the configured values', async () => {
    await withKernel(bootOptions(), ({ config }) => {
      expect(config).to.deep.equal({
        sources: [
          {
            name: 'notes',
            kind: 'memo',
            block: { text: 'hello', limit: 5 },
            intervalMs: 300_000,
            filter: undefined,
            claims: {},
          },
        ],
        registries: [
          { name: 'main', sources: ['notes'], claims: {}, public: false, publicClaims: undefined },
        ],
        auth: { mode: 'open', authz: undefined, publicPaths: [], claims: {}, requireClaims: true },
        database: {
          maxOpenConns: 25,
          maxIdleConns: 5,
          connMaxLifetime: '5m',
          maxMetaSize: 262144,
          migrateOnStart: true,
        },
        server: {
          address: '127.0.0.1:8080',
          internalAddress: '127.0.0.1:8081',
          compress: true,
          pageCacheBytes: 8_388_608,
          trustedProxies: [],
          adminApi: true,
          requestTimeout: '10s',
          shutdownTimeout: '30s',
          cors: { enabled: true, allowedOrigins: ['*'] },
        },
        telemetry: {
          enabled: false,
          exporter: 'otlp',
          serviceName: 'portolan-registry',
          resourceAttributes: {},
          tracing: { enabled: false, sampling: 0.05 },
          metrics: { enabled: true },
        },
        apiSources: {
          allowedDirectories: [],
          allowedHosts: [],
          allowPrivateAddresses: false,
          allowServerCredentials: false,
        },
        scratch: { maxBytes: 1073741824 },
        sessions: { idle: '8h', lifetime: '24h' },
      });
    });
  });

  const accepted: readonly { title: string; value: unknown }[] = [
    {
      title: 'several managed sources',
      value: smallConfig({ sources: [notes, { name: 'a', inbox: {} }, { name: 'b', inbox: {} }] }),
    },
    {
      title: 'a password together with the address of the database',
      value: smallConfig({ database: { url: 'postgres://app@db.example/x', password: 'x' } }),
    },
    {
      title: 'separate fields of the database',
      value: smallConfig({ database: { host: 'h', port: 5432, user: 'u', database: 'd' } }),
    },
    {
      title: 'an internal listener that is off',
      value: smallConfig({ server: { address: ':8081', internalAddress: 'off' } }),
    },
    {
      title: 'the block of an unused auth mode',
      value: smallConfig({ auth: { mode: 'open', oauth: { anything: 1 } } }),
    },
    {
      title: 'authorization without roles',
      value: smallConfig({ auth: { mode: 'open', authz: {} } }),
    },
    {
      title: 'authorization with an empty map of roles',
      value: smallConfig({ auth: { mode: 'open', authz: { roles: {} } } }),
    },
    {
      title: 'every operational path',
      value: smallConfig({
        auth: {
          mode: 'open',
          publicPaths: [
            '/',
            '/health',
            '/readiness',
            '/version',
            '/openapi.json',
            '/openapi.yaml',
            '/.well-known',
            '/metrics',
          ],
        },
      }),
    },
    {
      title: 'the longest names',
      value: smallConfig({
        sources: [{ ...notes, name: 'a'.repeat(63) }],
        registries: [{ name: 'R'.repeat(128), sources: ['a'.repeat(63)] }],
      }),
    },
  ];
  for (const { title, value } of accepted) {
    it(`accepts ${title}`, async () => {
      await checkConfig(bootOptions({ value, shipped }));
    });
  }

  it('requires a syncPolicy, unless the kind declares that a block never changes', async () => {
    const sourceWith = (text: string) => smallConfig({ sources: [{ name: 'notes', fixed: { text } }] });
    const pluginObjects = [{ plugin: fixedPlugin }];
    await checkConfig(bootOptions({ value: sourceWith('hello'), pluginObjects }));
    const [problem] = await problemsIn(sourceWith('other'), { pluginObjects });
    expect(problem?.place).to.equal('sources[0].syncPolicy.interval');
  });

  it('returns roles, mapped claims and public registries, with the letter case of claim names', async () => {
    const roles = { superAdmin: [{ orgId: 'acme' }, { Team: ['a', 'b'], constructor: 'x' }] } as Record<
      string,
      unknown
    >;
    const value = smallConfig({
      auth: {
        mode: 'open',
        authz: { roles },
        publicPaths: ['/'],
        claims: { Roles: '/realm_access/ro~1les' },
      },
      registries: [
        { ...main, public: true },
        { ...main, name: 'open', public: true, publicClaims: { Org: 'acme' } },
      ],
    });
    await withKernel(bootOptions({ value }), ({ config, auth }) => {
      expect(config.auth).to.deep.equal({
        mode: 'open',
        authz: { roles: { ...roles, manageSources: [], manageRegistries: [], manageEntries: [] } },
        publicPaths: ['/'],
        claims: { Roles: '/realm_access/ro~1les' },
        requireClaims: true,
      });
      expect(auth.config).to.equal(config.auth);
      expect(config.registries.map((registry) => registry.publicClaims)).to.deep.equal([{}, { Org: 'acme' }]);
    });
  });

  describe('rejects a kind that does not serve the registry server', () => {
    const away = {
      name: 'away',
      apiVersion: 2,
      contributes: {
        authProviders: [
          {
            kind: 'away',
            hosts: ['workload'],
            identifies: true,
            config: { type: 'object' },
            create: () => ({ verify: async () => undefined, identify: () => undefined }),
          },
        ],
        middleware: [
          {
            kind: 'afar',
            hosts: ['workload'],
            placed: { before: 'authenticate' },
            config: { type: 'object' },
            create: () => async () => undefined,
          },
        ],
      },
    } as const satisfies Plugin;

    it('as auth provider and as middleware, each with its place', async () => {
      const value = smallConfig({ auth: { mode: 'away' }, middleware: { afar: {} } });
      const error = await errorOf(() =>
        checkConfig(bootOptions({ value, pluginObjects: [{ plugin: away }] })),
      );
      expect(problemsOf(error).map(({ place, found, expected }) => [place, found, expected])).to.deep.equal([
        [
          'auth.mode',
          '"away", which serves workloads',
          'a kind of auth provider that serves the registry server',
        ],
        [
          'middleware.afar',
          '"afar", which serves workloads',
          'a kind of middleware that serves the registry server',
        ],
      ]);
    });
  });

  describe('logs warnings', () => {
    const strict = {
      name: 'strict',
      apiVersion: 2,
      contributes: {
        authProviders: [
          {
            kind: 'strict',
            hosts: ['registry-server'],
            identifies: true,
            config: { type: 'object' },
            create: () => ({ verify: async () => undefined, identify: () => undefined }),
          },
        ],
      },
    } as const satisfies Plugin;
    const warningsOf = async (value: unknown): Promise<readonly string[]> =>
      (await checkConfig(bootOptions({ value, pluginObjects: [{ plugin: strict }] }))).warnings;
    const rules = { superAdmin: [{ org: 'acme' }, {}], manageEntries: [{ org: 'acme', team: [] }] };

    it('about rules that match no caller, and a public registry that shows nothing', async () => {
      const value = smallConfig({
        auth: { mode: 'strict', authz: { roles: rules } },
        registries: [{ ...main, public: true }],
      });
      expect(await warningsOf(value)).to.deep.equal([
        'auth.authz.roles.superAdmin[1] is an empty rule: it matches nobody',
        'auth.authz.roles.manageEntries[0].team is an empty list: the rule matches nobody',
        'registries[0] ("main") is public without publicClaims: it shows nothing without a token',
      ]);
    });

    it('auth.requireClaims › accepts false in auth-only mode and rejects it with authz', async () => {
      const optional = { mode: 'strict', requireClaims: false };
      expect(await warningsOf(smallConfig({ auth: optional }))).to.deep.equal([]);
      const error = await warningsOf(smallConfig({ auth: { ...optional, authz: {} } })).catch(
        (caught: unknown) => caught,
      );
      expect(problemsOf(error).map(({ place, found }) => [place, found])).to.deep.equal([
        ['auth.requireClaims', 'false beside auth.authz'],
      ]);
    });

    it('once about roles in a mode that identifies no caller', async () => {
      const value = smallConfig({
        auth: { mode: 'open', authz: { roles: rules } },
        registries: [{ ...main, public: true }],
      });
      expect(await warningsOf(value)).to.deep.equal([
        'auth.authz changes nothing: the mode "open" identifies nobody, so nothing is checked',
      ]);
    });

    it('about public paths that are always open or unknown, and trusted proxies that match every address', async () => {
      const value = smallConfig({
        auth: { mode: 'open', publicPaths: ['/', '/metrics'] },
        server: { trustedProxies: ['10.0.0.0/8', '0.0.0.0/0'] },
      });
      const { warnings } = await checkConfig(bootOptions({ value }));
      expect(warnings).to.have.length(2);
      expect(warnings[0]).to.include('auth.publicPaths[1] ("/metrics") changes nothing');
      expect(warnings[1]).to.include('0.0.0.0/0');
    });

    it('about nothing in a normal configuration', async () => {
      const value = smallConfig({
        auth: { mode: 'strict', authz: { roles: { superAdmin: [{ org: 'acme' }] } } },
        registries: [{ ...main, public: true, publicClaims: { org: 'acme' } }],
      });
      expect(await warningsOf(value)).to.deep.equal([]);
      expect(await warningsOf(smallConfig({ auth: { mode: 'strict', authz: {} } }))).to.deep.equal([]);
    });
  });

  it('keeps the letter case of claim names, and claims with names of object members', async () => {
    const claims = { orgId: 'acme', constructor: ['a', 'b'], toString: 'x' };
    await withKernel(bootOptions({ value: withSource({ claims }) }), ({ config }) => {
      expect(config.sources[0]?.claims).to.deep.equal(claims);
    });
  });
});
