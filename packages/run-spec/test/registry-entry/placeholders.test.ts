import type { JsonObject } from '@portolan/plugin-api';
import { expect } from 'chai';
import { readServerSettings } from '../../src/registry-entry/read-server-settings.ts';
import {
  fillServerSettings,
  findMissingInputs,
  warnOfOpenNames,
} from '../../src/registry-entry/fill-server-settings.ts';
import { type InputValues } from '../../src/registry-entry/entry-templates.ts';
import type { ServerSettings } from '../../src/registry-entry/server-settings.ts';

const given = (values: Record<string, string> = {}): InputValues => ({
  values: new Map(Object.entries(values)),
  secrets: new Set(),
  hasArguments: false,
});
const entry = (document: JsonObject): ServerSettings =>
  readServerSettings({ name: 'dev.acme/notes', version: '1.0.0', ...document });
const SNAKE_CASE = 'https://static.modelcontextprotocol.io/schemas/2025-07-09/server.schema.json';
const image = (item: JsonObject): JsonObject => ({
  packages: [{ registryType: 'oci', identifier: 'acme/x:1', transport: { type: 'stdio' }, ...item }],
});
const remote = (item: JsonObject): JsonObject => ({
  remotes: [{ type: 'streamable-http', url: 'https://acme.example/mcp', ...item }],
});
const HOLDER = { value: 'Bearer {key}', isRequired: true, isSecret: true };

const PLACES: readonly {
  readonly title: string;
  readonly document: JsonObject;
  readonly isSecret: boolean;
}[] = [
  { title: 'header', document: remote({ headers: [{ name: 'Authorization', ...HOLDER }] }), isSecret: true },
  {
    title: 'secret header that is optional',
    document: remote({ headers: [{ name: 'A', value: 'Bearer {key}', isSecret: true }] }),
    isSecret: true,
  },
  {
    title: 'header of the schema of 2025-07-09',
    document: {
      $schema: SNAKE_CASE,
      ...remote({ headers: [{ name: 'A', value: 'Bearer {key}', is_required: true, is_secret: true }] }),
    },
    isSecret: true,
  },
  {
    title: 'variable',
    document: image({ environmentVariables: [{ name: 'TOKEN', ...HOLDER }] }),
    isSecret: true,
  },
  {
    title: 'argument',
    document: image({
      packageArguments: [{ type: 'named', name: '--url', value: 'https://{key}.x', isRequired: true }],
    }),
    isSecret: false,
  },
  {
    title: 'environment variable of the runtime arguments',
    document: image({
      runtimeArguments: [{ type: 'named', name: '-e', value: 'TOKEN={key}', isRequired: true }],
    }),
    isSecret: false,
  },
  {
    title: 'part of an environment variable of the runtime arguments',
    document: image({
      runtimeArguments: [{ type: 'named', name: '-e', value: 'TOKEN=a{key}', isSecret: true }],
    }),
    isSecret: true,
  },
  { title: 'URL', document: remote({ url: 'https://{key}.acme.example/mcp' }), isSecret: false },
  {
    title: 'URL whose variable is optional',
    document: remote({ url: 'https://{key}.acme.example/mcp', variables: { key: {} } }),
    isSecret: false,
  },
];

describe('undefined placeholders of an entry', () => {
  for (const { title, document, isSecret } of PLACES) {
    it(`require a value in a ${title} (official registry 503)`, () => {
      const settings = entry(document);
      const missing = findMissingInputs(settings, given());
      expect(missing.map((input) => [input.name, input.isSecret])).to.deep.equal([['key', isSecret]]);
      expect(findMissingInputs(settings, given({ key: 'hunter2' }))).to.deep.equal([]);
      expect(warnOfOpenNames(settings, given())).to.equal(undefined);
    });
  }

  it('are replaced by the given value', () => {
    const headers = fillServerSettings(
      entry(remote({ headers: [{ name: 'Authorization', ...HOLDER }] })),
      given({ key: 'hunter2' }),
    ).secretHeaders;
    expect(headers).to.deep.include({
      name: 'registry-user-authorization',
      target: 'Authorization',
      value: 'Bearer hunter2',
    });
    const { url } = fillServerSettings(
      entry(remote({ url: 'https://{key}.acme.example/mcp' })),
      given({ key: 'eu' }),
    );
    expect(url).to.equal('https://eu.acme.example/mcp');
  });

  it('stay in an optional value, with one warning, until the user gives a value', () => {
    const settings = entry(
      image({
        environmentVariables: [{ name: 'REGION', value: '{region}' }],
        packageArguments: [
          { type: 'named', name: '--title', value: '{title}/{region}' },
          { type: 'positional', value: '{"a":1}${HOME}{{x}}{0}{}' },
        ],
      }),
    );
    expect(findMissingInputs(settings, given())).to.deep.equal([]);
    expect(warnOfOpenNames(settings, given())).to.equal(
      'dev.acme/notes does not define {region} in the variable REGION, {title} in the argument --title, {region} in the argument --title: the text stays as it is. -e NAME=VALUE replaces it.',
    );
    const plain = fillServerSettings(settings, given());
    expect(plain.variables.get('REGION')).to.equal('{region}');
    expect(plain.args).to.deep.equal(['--title', '{title}/{region}', '{"a":1}${HOME}{{x}}{0}{}']);
    const all = given({ region: 'eu', title: 'a' });
    expect(warnOfOpenNames(settings, all)).to.equal(undefined);
    expect(fillServerSettings(settings, all).args.slice(0, 2)).to.deep.equal(['--title', 'a/eu']);
  });

  it('cause a note when a default value contains them', () => {
    const { notes } = entry(image({ environmentVariables: [{ name: 'A', default: 'x{b}' }] }));
    expect(notes).to.deep.equal([
      'The default of A contains {b}, which stays as it is. -e A=VALUE replaces it.',
    ]);
  });
});
