import { expect } from 'chai';
import { checkPluginShape } from '../../src/plugins/check-plugin-shape.ts';
import { findBlockFault } from '../../src/plugins/find-block-fault.ts';
import { basePlugin, errorOf } from '../support/test-context.ts';

const place = { plugin: './mine.js', file: '/srv/mine.js' };
const source = { kind: 'wiki', claimsFrom: 'source', config: { type: 'object' }, create: () => ({}) };
const provider = {
  kind: 'door',
  hosts: ['registry-server'],
  identifies: true,
  config: { type: 'object' },
  create: () => ({}),
};
const middleware = {
  kind: 'audit',
  hosts: ['registry-server'],
  placed: { before: 'authenticate' },
  config: { type: 'object' },
  create: () => () => undefined,
};
const plain = { config: { type: 'object' }, create: () => ({}) };
const paper = { ...plain, kind: 'paper', hosts: ['registry-server'] };
const aText = { type: 'string', description: 'Text.' };
const workloadKinds = {
  runtimes: [{ ...plain, kind: 'docker' }],
  transports: [{ ...plain, kind: 'stdio', carries: 'messages' }],
  schemes: [
    { ...plain, kind: 'npx', packages: 'npm' },
    { ...plain, kind: 'deno', packages: (text: string) => text },
  ],
  secretStores: [{ ...plain, kind: 'keychain', can: ['list'] }],
};
const withKinds = (contributes: unknown, more: object = {}): unknown => ({
  name: 'mine',
  apiVersion: 2,
  contributes,
  ...more,
});

describe('checkPluginShape', () => {
  const good = [
    { title: 'the smallest plugin', value: { name: 'mine', apiVersion: 2 } },
    {
      title: 'a plugin with all kinds',
      value: withKinds({
        sources: [source],
        authProviders: [provider],
        middleware: [middleware],
        ...workloadKinds,
      }),
    },
    {
      title: 'an instance of a class',
      value: new (class {
        name = 'mine';
        apiVersion = 2;
        apply(): void {}
      })(),
    },
    {
      title: 'an instance with additional fields',
      value: new (class {
        name = 'mine';
        apiVersion = 2;
        cache = new Map();
      })(),
    },
    { title: 'the base plugin of these tests', value: basePlugin },
    {
      title: 'kinds with a check',
      value: withKinds({
        sources: [{ ...source, check: () => [] }],
        middleware: [{ ...middleware, check: () => [] }],
      }),
    },
  ];
  for (const { title, value } of good) {
    it(`accepts ${title}`, () => {
      expect(checkPluginShape(value, place)).to.equal(value);
    });
  }

  const circular: { type: string; properties: Record<string, unknown> } = { type: 'object', properties: {} };
  circular.properties['again'] = circular;
  const refuse = (): never => {
    throw new Error('no looking');
  };

  const bad: readonly { title: string; value: unknown; says: string }[] = [
    {
      title: 'a part with a misspelt name',
      value: { name: 'mine', apiVersion: 2, contribute: { sources: [source] } },
      says: 'it has "contribute", which no plugin has (did you mean "contributes"?)',
    },
    {
      title: 'an unknown part',
      value: { name: 'mine', apiVersion: 2, version: '1.0.0' },
      says: 'it has "version", which no plugin has; expected one of name, apiVersion, options, contributes, apply, close',
    },
    {
      title: 'a kind with a misspelt part',
      value: withKinds({ sources: [{ ...source, reach: () => ({ files: [], urls: [] }) }] }),
      says: 'the kind "wiki" (contributes.sources[0]) is broken: it has "reach", which no kind has (did you mean "reaches"?)',
    },
    {
      title: 'a check that is not a function',
      value: withKinds({ authProviders: [{ ...provider, check: {} }] }),
      says: 'the kind "door" (contributes.authProviders[0]) is broken: "check" is no function',
    },
    {
      title: 'a part whose getter throws',
      value: {
        name: 'mine',
        apiVersion: 2,
        contributes: Object.defineProperty({}, 'sources', { get: refuse, enumerable: true }),
      },
      says: 'no looking',
    },
    {
      title: 'a proxy that throws on every access',
      value: new Proxy({}, { get: refuse }),
      says: 'no looking',
    },
    {
      title: 'a circular block',
      value: { name: 'mine', apiVersion: 2, options: circular },
      says: 'reading it failed',
    },
    { title: 'null', value: null, says: 'default export is nothing (null)' },
    { title: 'a list', value: [], says: 'default export is a list' },
    { title: 'an empty name', value: { name: ' ', apiVersion: 2 }, says: 'no name' },
    {
      title: 'an apply that is not a function',
      value: { name: 'mine', apiVersion: 2, apply: {} },
      says: 'apply is no function',
    },
    {
      title: 'a close that is not a function',
      value: { name: 'mine', apiVersion: 2, close: 1 },
      says: 'close is no function',
    },
    {
      title: 'options of another type',
      value: { name: 'mine', apiVersion: 2, options: { type: 'string' } },
      says: '"options" is no config block of type "object"',
    },
    {
      title: 'kinds that are not a list',
      value: withKinds({ sources: source }),
      says: '"contributes.sources" is a map',
    },
    {
      title: 'a kind that is null',
      value: withKinds({ sources: [null] }),
      says: '"contributes.sources[0]" is nothing',
    },
    {
      title: 'a kind without a name',
      value: withKinds({ sources: [{ ...source, kind: undefined }] }),
      says: '"contributes.sources[0].kind" is nothing',
    },
    {
      title: 'a kind with an invalid name',
      value: withKinds({ sources: [{ ...source, kind: '__proto__' }] }),
      says: 'is "__proto__"',
    },
    {
      title: 'a source kind with the name of a common key',
      value: withKinds({ sources: [{ ...source, kind: 'filter' }] }),
      says: 'key of every source',
    },
    {
      title: 'a source kind with an invalid claimsFrom',
      value: withKinds({ sources: [{ ...source, claimsFrom: 'me' }] }),
      says: '"claimsFrom" is "me"',
    },
    {
      title: 'an auth provider named mode',
      value: withKinds({ authProviders: [{ ...provider, kind: 'mode' }] }),
      says: 'key of "auth"',
    },
    {
      title: 'an auth provider without hosts',
      value: withKinds({ authProviders: [{ ...provider, hosts: undefined }] }),
      says: '"hosts" is no list of one of registry-server, workload',
    },
    {
      title: 'an auth provider with an empty list of hosts',
      value: withKinds({ authProviders: [{ ...provider, hosts: [] }] }),
      says: '"hosts" is no list of',
    },
    {
      title: 'an auth provider for an unknown host',
      value: withKinds({ authProviders: [{ ...provider, hosts: ['workload', 'proxy'] }] }),
      says: '"hosts" is no list of',
    },
    {
      title: 'an auth provider that does not state whether it identifies callers',
      value: withKinds({ authProviders: [{ ...provider, hosts: ['registry-server'], identifies: 1 }] }),
      says: '"identifies"',
    },
    {
      title: 'middleware for an unknown host',
      value: withKinds({ middleware: [{ ...middleware, hosts: ['moon'] }] }),
      says: '"hosts" is no list of',
    },
    {
      title: 'middleware without a place',
      value: withKinds({ middleware: [{ ...middleware, placed: {} }] }),
      says: '"placed"',
    },
    {
      title: 'a transport with an unknown carrier',
      value: withKinds({ transports: [{ ...plain, kind: 'pigeon', carries: 'letters' }] }),
      says: '"carries" is "letters", not one of messages, http',
    },
    {
      title: 'a scheme with capital letters',
      value: withKinds({ schemes: [{ ...plain, kind: 'npX', packages: 'npm' }] }),
      says: 'no capitals',
    },
    {
      title: 'a scheme that is a URL scheme',
      value: withKinds({ schemes: [{ ...plain, kind: 'https', packages: 'npm' }] }),
      says: 'scheme of addresses',
    },
    {
      title: 'a scheme without an ecosystem',
      value: withKinds({ schemes: [{ ...plain, kind: 'cargo' }] }),
      says: '"packages" is nothing, not one of npm, python, go or a function',
    },
    {
      title: 'a secret store with an unknown capability',
      value: withKinds({ secretStores: [{ ...plain, kind: 'vault', can: ['read'] }] }),
      says: '"can" is no list of one of set, delete, list',
    },
    {
      title: 'telemetry with an empty list of hosts',
      value: withKinds({ telemetry: [{ ...plain, kind: 'paper' }] }),
      says: '"hosts" is no list of',
    },
    {
      title: 'telemetry with a key of the common settings',
      value: withKinds({
        telemetry: [{ ...paper, config: { type: 'object', properties: { metrics: aText } } }],
      }),
      says: '"metrics" is a key of every exporter',
    },
    {
      title: 'telemetry with a required setting',
      value: withKinds({
        telemetry: [
          { ...paper, config: { type: 'object', properties: { desk: aText }, required: ['desk'] } },
        ],
      }),
      says: 'it cannot do without "desk"',
    },
    {
      title: 'a runtime without create',
      value: withKinds({ runtimes: [{ kind: 'docker', config: { type: 'object' } }] }),
      says: 'no function "create"',
    },
    {
      title: 'middleware in two places',
      value: withKinds({ middleware: [{ ...middleware, placed: { before: 'a', after: 'b' } }] }),
      says: '"placed"',
    },
  ];
  for (const { title, value, says } of bad) {
    it(`rejects ${title}`, async () => {
      const error = await errorOf(() => checkPluginShape(value, place));
      expect(error.code).to.equal('ERR_PLUGIN_SHAPE');
      expect(error.message).to.include('./mine.js').and.to.include('/srv/mine.js').and.to.include(says);
    });
  }
});

describe('findBlockFault', () => {
  it('returns nothing for a block with every keyword', () => {
    const text = {
      type: 'string',
      title: 't',
      description: 'd',
      minLength: 1,
      maxLength: 9,
      pattern: '^a',
      secret: true,
      examples: ['a'],
    };
    const block = {
      type: 'object',
      required: ['a'],
      oneOfKeys: [['a'], ['b']],
      properties: {
        a: text,
        b: { type: 'string', format: 'uri', default: 'x' },
        c: { type: 'number', enum: [1, 2] },
      },
      additionalProperties: {
        type: 'array',
        minItems: 1,
        uniqueItems: true,
        items: { type: 'integer', minimum: 1, maximum: 2 },
      },
    };
    expect(findBlockFault(block, 'config')).to.equal(undefined);
  });

  const faults: readonly { block: unknown; expected: string }[] = [
    { block: undefined, expected: '"config" is nothing, not a config block' },
    {
      block: { type: 'int' },
      expected: '"config.type" is "int", not one of object, array, string, integer, number, boolean',
    },
    { block: { type: 'string', pattern: '(' }, expected: '"config.pattern" is "(", which it cannot be' },
    {
      block: { type: 'string', format: 'email' },
      expected: '"config.format" is "email", which it cannot be',
    },
    {
      block: { type: 'string', nullable: true },
      expected: '"config.nullable" is no keyword of a config block',
    },
    { block: { type: 'object', properties: [] }, expected: '"config.properties" is no map of config blocks' },
    {
      block: { type: 'object', properties: { a: {} } },
      expected:
        '"config.properties.a.type" is nothing, not one of object, array, string, integer, number, boolean',
    },
    {
      block: { type: 'array', items: { type: 'string', minLength: -1 } },
      expected: '"config.items.minLength" is -1, which it cannot be',
    },
  ];
  for (const { block, expected } of faults) {
    it(`returns ${expected}`, () => {
      expect(findBlockFault(block, 'config')).to.equal(expected);
    });
  }
});
