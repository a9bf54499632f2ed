import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { join } from 'node:path';
import type { AuthProviderKind } from '@portolan/plugin-api';
import { expect } from 'chai';
import { parse } from 'yaml';
import { problemsOf } from '../../src/index.ts';
import { checkConfig, readConfigSchema, readKinds } from '../../src/validation/check-config.ts';
import { composeConfigSchema } from '../../src/validation/compose-schema.ts';
import { noKinds } from '../support/no-kinds.ts';
import { bootOptions, errorOf, FIXTURES, Folders, smallConfig } from '../support/test-context.ts';

const folders = new Folders();

const shipped = {
  shipped: { sources: { wiki: 'good-plugin' }, authProviders: {}, middleware: {} },
  shippedFrom: join(FIXTURES, 'packages', 'good', 'index.js'),
};

describe('readKinds', () => {
  afterEach(() => folders.removeAll());

  it('returns all shipped kinds without a configuration', async () => {
    const searchFrom = await folders.create({ 'package.json': '{}' });
    const kinds = await readKinds(bootOptions({ ...shipped, searchFrom }));
    expect([...kinds.sources.keys()]).to.deep.equal(['wiki', 'memo', 'inbox']);
    expect(kinds.sources.get('wiki')).to.deep.include({
      plugin: 'good-plugin',
      shipped: true,
      file: join(FIXTURES, 'packages', 'good', 'index.js'),
    });
  });

  it('adds kinds of the configured plugins, even when the configuration is invalid', async () => {
    const value = { plugins: ['./plugins/brings-wiki-one.js'], nonsense: 1 };
    const kinds = await readKinds(bootOptions({ value }));
    expect(kinds.sources.get('wiki')).to.include({ plugin: 'brings-wiki-one', shipped: false });
  });

  it('throws when the named file is missing', async () => {
    const error = await errorOf(() => readKinds(bootOptions({ configFile: '/nowhere/portolan.yaml' })));
    expect(error.code).to.equal('ERR_CONFIG_UNREADABLE');
  });
});

describe('checkConfig', () => {
  it('returns the resulting configuration and warnings', async () => {
    const options = bootOptions({ environment: { PORTOLAN_X: '1', PORTOLAN_SERVER_ADDRESS: ':1' } });
    const { config, kinds, warnings, configFile } = await checkConfig(options);
    expect(config.server.address).to.equal(':1');
    expect(kinds.sources.has('memo')).to.equal(true);
    expect(warnings).to.deep.equal(['the environment variable PORTOLAN_X is no setting']);
    expect(configFile).to.equal(undefined);
  });

  it('creates nothing', async () => {
    const sources = [{ name: 'notes', wiki: {}, syncPolicy: { interval: '5m' } }];
    const value = smallConfig({ plugins: ['./plugins/create-throws.js'], sources });
    await checkConfig(bootOptions({ value }));
  });
});

describe('checkConfig with the option online', () => {
  const asked: unknown[] = [];
  const asking: AuthProviderKind = {
    kind: 'asking',
    hosts: ['registry-server'],
    identifies: true,
    config: { type: 'object', properties: { issuer: { type: 'string' } } },
    checkOnline: async (config: { issuer: string }, { directory, trustsLoopback }) => {
      asked.push([config, directory, trustsLoopback]);
      const problem = { place: 'issuer', found: 'an issuer for any tenant', expected: 'one of a tenant' };
      return await Promise.resolve(config.issuer === 'any' ? [problem] : []);
    },
    create: () => {
      throw new Error('nothing is created');
    },
  };
  const check = async (issuer: string, isOnline: boolean) =>
    await checkConfig(
      bootOptions({
        value: smallConfig({ auth: { mode: 'asking', asking: { issuer } } }),
        pluginObjects: [
          { plugin: { name: 'asks', apiVersion: 2, contributes: { authProviders: [asking] } } },
        ],
      }),
      { isOnline },
    );
  beforeEach(() => void asked.splice(0));

  it('reports a problem of a provider with its place in the configuration', async () => {
    const error = await errorOf(() => check('any', true));
    expect(error.code).to.equal('ERR_CONFIG_INVALID');
    expect(problemsOf(error)).to.deep.include({
      place: 'auth.asking.issuer',
      found: 'an issuer for any tenant',
      expected: 'one of a tenant',
    });
  });

  it('accepts a valid provider, and passes the folder of the configuration', async () => {
    const { directory } = await check('one', true);
    expect(asked).to.deep.equal([[{ issuer: 'one' }, directory, true]]);
  });

  it('sends no request without the option', async () => {
    await check('any', false);
    expect(asked).to.deep.equal([]);
  });
});

describe('checkConfig with plugins that fail to load', () => {
  afterEach(() => folders.removeAll());

  const problemsOfText = async (text: string): Promise<readonly string[]> => {
    const directory = await folders.create({
      'portolan.config.yaml': text,
      'good.mjs': 'export default { name: "good", apiVersion: 2 };',
    });
    const error = await errorOf(() => checkConfig(bootOptions({ searchFrom: directory })));
    expect(error.code).to.equal('ERR_CONFIG_INVALID');
    return problemsOf(error).map(({ line, column, place, found }) => `${line}:${column} ${place} ${found}`);
  };

  it('reports each failed plugin with its line, and every other problem', async () => {
    const problems = await problemsOfText(`
plugins:
  - ./missing.ts
  - ./good.mjs
  - { use: "@acme/nope", options: { size: 5 } }
sources:
  - { name: handbook, pages: { space: TOOLS }, syncPolicy: { interval: 30m } }
  - { name: notes, memo: { text: hello, size: 1 }, syncPolicy: { interval: soon } }
registries:
  - { name: main, sources: [handbok] }
auth: { mode: badge, badge: { gate: 1 } }
server: { adress: ":1" }
`);
    expect(problems).to.deep.equal([
      '3:5 plugins[0] "./missing.ts"',
      '5:5 plugins[2] "@acme/nope"',
      '8:41 sources[1].memo.size an unknown key',
      '8:66 sources[1].syncPolicy.interval "soon"',
      '10:29 registries[0].sources[0] "handbok"',
      '12:11 server.adress an unknown key',
    ]);
  });

  it('throws the error of the plugin when it is the only problem, with its line', async () => {
    const directory = await folders.create({
      'portolan.config.yaml':
        'plugins: [./missing.ts]\nsources: [{ name: a, inbox: {} }]\nregistries: [{ name: b, sources: [a] }]\nauth: { mode: open }\n',
    });
    const error = await errorOf(() => checkConfig(bootOptions({ searchFrom: directory })));
    expect(error.code).to.equal('ERR_PLUGIN_NOT_FOUND');
    expect(error.message)
      .to.include('cannot be found.')
      .and.to.include(`It is plugins[0] at ${directory}/portolan.config.yaml:1:11.`);
    expect(error.hint).to.include('relative to the folder of the configuration');
  });

  it('still reports a misspelt name of a known kind', async () => {
    const problems = await problemsOfText(
      'plugins: [./missing.ts]\nsources: [{ name: a, inbx: {} }]\nregistries: [{ name: b, sources: [a] }]\nauth: { mode: opn }\n',
    );
    expect(problems).to.deep.equal([
      '1:11 plugins[0] "./missing.ts"',
      '2:22 sources[0].inbx an unknown key',
      '4:9 auth.mode "opn"',
    ]);
  });

  it('reports clashing kinds with all other problems', async () => {
    const value = smallConfig({
      plugins: [
        './plugins/brings-wiki-one.js',
        './plugins/brings-wiki-two.js',
        './plugins/nobody-wrote-it.js',
      ],
    });
    const error = await errorOf(() => checkConfig(bootOptions({ value })));
    expect(problemsOf(error).map(({ place }) => place)).to.deep.equal(['plugins[1]', 'plugins[2]']);
    expect(error.message).to.include('Two plugins define the source kind "wiki"');
  });
});

/** One kind for each place of a configuration that may name a kind. */
const HARBOUR = `
const config = { type: 'object', properties: {} };
const create = () => ({});
export default {
  name: 'harbour', apiVersion: 2,
  contributes: {
    sources: [{ kind: 'tide', config, claimsFrom: 'source', create }],
    authProviders: [{ kind: 'pilot', hosts: ['registry-server'], identifies: false, config, create }],
    middleware: [{ kind: 'crane', hosts: ['registry-server'], placed: { before: 'authenticate' }, config, create }],
    pages: [{ kind: 'deck', config, create }],
    telemetry: [{ kind: 'flags', hosts: ['registry-server'], config, create }],
    transports: [{ kind: 'wire', carries: 'messages', config, create }],
  },
};
`;

describe('checkConfig with installed plugins', () => {
  afterEach(() => folders.removeAll());

  const problemsWith = async (
    value: Readonly<Record<string, unknown>>,
    module = HARBOUR,
  ): Promise<readonly string[]> => {
    const folder = await folders.create({
      'package.json':
        '{ "name": "acme-harbour", "type": "module", "exports": "./index.js", "portolan": { "plugin": ".", "apiVersion": 2 } }',
      'index.js': module,
    });
    const exporters = { telemetry: { otlp: '@acme/not-installed' } };
    const installed = [{ specifier: folder, from: join(folder, 'package.json') }];
    const error = await errorOf(() =>
      checkConfig({ ...bootOptions({ value: smallConfig(value), shipped: exporters }), installed }),
    );
    expect(error.code).to.equal('ERR_CONFIG_INVALID');
    return problemsOf(error).map(({ place, expected }) => {
      const sentence = `. The installed plugin "${folder}" brings it: add it to "plugins"`;
      return `${place} ${expected.endsWith(sentence)}`;
    });
  };

  const cases: readonly (readonly [place: string, value: Readonly<Record<string, unknown>>])[] = [
    ['sources[0].tide', { sources: [{ name: 'notes', tide: {}, syncPolicy: { interval: '1h' } }] }],
    ['auth.mode', { auth: { mode: 'pilot' } }],
    ['middleware.crane', { middleware: { crane: {} } }],
    ['pages.deck', { pages: { deck: {} } }],
    ['telemetry.exporter', { telemetry: { exporter: 'flags' } }],
    ['transports.wire', { transports: { wire: {} } }],
  ];
  for (const [place, value] of cases) {
    it(`names the installed plugin that has the unknown kind at ${place}`, async () => {
      expect(await problemsWith(value)).to.include(`${place} true`);
    });
  }

  it('names no plugin for an unknown kind of no plugin and for other keys', async () => {
    expect(await problemsWith({ middleware: { cranes: {} }, tide: {}, server: { deck: 1 } })).to.have.members(
      ['middleware.cranes false', 'tide false', 'server.deck false'],
    );
  });

  it('reports the problems of the configuration when an installed plugin cannot be imported', async () => {
    expect(await problemsWith({ pages: { deck: {} } }, 'throw new Error("no harbour");')).to.deep.equal([
      'pages.deck false',
    ]);
  });
});

describe('readConfigSchema', () => {
  afterEach(() => folders.removeAll());

  const validator = async (value?: unknown) => {
    const schema = await readConfigSchema(bootOptions({ ...shipped, value }));
    const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, allErrors: true });
    addFormats.default(ajv);
    return { schema, isValid: ajv.compile(schema) };
  };

  it('returns a JSON Schema 2020-12 without additional keywords', async () => {
    const { schema } = await validator({ plugins: ['./plugins/with-options.js'] });
    expect(schema['$schema']).to.equal('https://json-schema.org/draft/2020-12/schema');
    expect(JSON.stringify(schema)).not.to.match(/"(secret|oneOfKeys|expected)":/);
    expect(schema).to.deep.nested.include({
      'properties.sources.items.properties.memo.properties.token': {
        type: 'string',
        pattern: '^[a-z0-9-]+$',
        writeOnly: true,
      },
      'properties.auth.properties.mode.enum': ['open'],
    });
  });

  const text = `
    $schema: ./portolan.schema.json
    plugins: [some-plugin, { use: ./plugins/with-options.js, options: { tag: x } }]
    sources:
      - name: notes
        memo: { text: hello, token: '\${NAME}x' }
        syncPolicy: { interval: 1h30m }
        filter: { names: { include: [a/*] } }
        claims: { org: acme, team: [a, b] }
      - { name: mail, inbox: {} }
    registries: [{ name: main, sources: [notes, mail] }]
    auth: { mode: open, open: { realm: x } }
    database: { url: 'sqlite:a.db', connMaxLifetime: 5m }
    server: { address: ':1', publicUrl: 'https://acme.example', cors: { enabled: false } }
    telemetry: { metrics: { enabled: false } }`;

  it('accepts a configuration with all features', async () => {
    const { isValid } = await validator({ plugins: ['./plugins/with-options.js'] });
    const config = parse(text.replace("'${NAME}x'", 'abc'));
    expect(isValid(config), JSON.stringify(isValid.errors)).to.equal(true);
  });

  const faults = [
    { title: 'an unknown key', from: 'telemetry:', to: 'telemetri:' },
    {
      title: 'a source with two kinds',
      from: '{ name: mail, inbox: {} }',
      to: '{ name: mail, inbox: {}, memo: { text: x } }',
    },
    { title: 'a source without a kind', from: ', inbox: {}', to: '' },
    { title: 'an unknown key in a block', from: 'text: hello', to: 'text: hello, x: 1' },
    { title: 'an invalid duration', from: '1h30m', to: 'soon' },
    { title: 'an unknown mode', from: 'mode: open', to: 'mode: shut' },
    { title: 'invalid options of a plugin', from: '{ tag: x }', to: '{ tag: 5 }' },
    { title: 'a claim that is a number', from: 'org: acme', to: 'org: 5' },
  ];
  for (const { title, from, to } of faults) {
    it(`rejects ${title}`, async () => {
      const { isValid } = await validator({ plugins: ['./plugins/with-options.js'] });
      expect(text).to.include(from);
      expect(isValid(parse(text.replace("'${NAME}x'", 'abc').replace(from, to)))).to.equal(false);
    });
  }

  it('works without a configuration', async () => {
    const searchFrom = await folders.create({ 'package.json': '{}' });
    const schema = await readConfigSchema(bootOptions({ ...shipped, searchFrom }));
    expect(schema).to.deep.nested.include({
      'properties.sources.items.oneOf': [
        { required: ['wiki'] },
        { required: ['memo'] },
        { required: ['inbox'] },
      ],
    });
  });
});

describe('composeConfigSchema', () => {
  it('describes every setting', () => {
    const undescribed: string[] = [];
    const walk = (schema: unknown, path: string): void => {
      if (typeof schema !== 'object' || schema === null) return;
      const properties: unknown = Reflect.get(schema, 'properties');
      for (const [key, inner] of Object.entries(properties ?? {})) {
        if (!('description' in Object(inner))) undescribed.push(`${path}${key}`);
        walk(inner, `${path}${key}.`);
      }
      walk(Reflect.get(schema, 'items'), `${path}[].`);
    };
    walk(composeConfigSchema(noKinds), '');
    expect(undescribed).to.deep.equal([]);
  });
});
