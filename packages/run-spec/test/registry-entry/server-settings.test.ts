import { Readable } from 'node:stream';
import { isSkippedEntry, PUBLISHER_PROVIDED, readCatalogue } from '@portolan/entry-format';
import type { JsonObject } from '@portolan/plugin-api';
import { expect } from 'chai';
import fc from 'fast-check';
import { fillServerSettings, findMissingInputs } from '../../src/registry-entry/fill-server-settings.ts';
import { type InputValues } from '../../src/registry-entry/entry-templates.ts';
import * as extensions from '../../src/registry-entry/find-extension.ts';
import { readServerSettings } from '../../src/registry-entry/read-server-settings.ts';
import type { ServerSettings } from '../../src/registry-entry/server-settings.ts';
import { caught } from '../../../../test/support/caught.ts';

const given = (values: Record<string, string> = {}, more: Partial<InputValues> = {}): InputValues => ({
  values: new Map(Object.entries(values)),
  secrets: new Set(),
  hasArguments: false,
  ...more,
});
const entry = (document: JsonObject): ServerSettings =>
  readServerSettings({ name: 'dev.acme/weather', description: 'Forecasts', version: '1.4.0', ...document });
const withPackage = (item: JsonObject): ServerSettings =>
  entry({
    packages: [
      { registryType: 'oci', identifier: 'ghcr.io/acme/x:1', transport: { type: 'stdio' }, ...item },
    ],
  });
const withExtension = (key: string, extension: JsonObject): JsonObject => ({
  'io.modelcontextprotocol.registry/publisher-provided': { 'io.github.stacklok': { [key]: extension } },
});

/** An entry as the catalogues of the field hold it. */
const GITHUB = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: 'io.github.acme/forge',
  description: 'Issues and pull requests',
  title: 'Forge',
  repository: { url: 'https://github.com/acme/forge', source: 'github' },
  version: '0.30.1',
  packages: [
    {
      registryType: 'oci',
      identifier: 'ghcr.io/acme/forge:v0.30.1',
      transport: { type: 'stdio' },
      runtimeArguments: [
        { type: 'positional', value: 'run' },
        { type: 'named', name: '-i' },
        {
          type: 'named',
          name: '-e',
          value: 'FORGE_TOKEN={token}',
          isRequired: true,
          variables: { token: { description: 'Personal token', isRequired: true, isSecret: true } },
        },
        { type: 'named', name: '--mount', value: 'type=bind,src=/x,dst=/y' },
      ],
      environmentVariables: [
        { name: 'FORGE_HOST', description: 'Host of a private installation' },
        { name: 'FORGE_TOOLSETS', default: 'all' },
        { name: 'FORGE_READ_ONLY', value: '1' },
      ],
    },
  ],
  _meta: withExtension('ghcr.io/acme/forge:v0.30.1', {
    tools: ['issue_list'],
    permissions: { network: { outbound: { allow_host: ['.github.com'], allow_port: [443] } } },
    provenance: { repository_uri: 'https://github.com/acme/forge' },
    proxy_port: 18_080,
  }),
};

describe('PUBLISHER_PROVIDED', () => {
  it('equals the key of the catalogue parser', () => {
    expect(extensions.PUBLISHER_PROVIDED).to.equal(PUBLISHER_PROVIDED);
  });
});

describe('readServerSettings', () => {
  const NAME = 'A\nnetwork\n  may connect to nowhere';
  const INPUT = { variables: { [NAME]: { isRequired: true } } };
  for (const [what, document] of [
    ['variable', { environmentVariables: [{ name: NAME }] }],
    ['variable', { runtimeArguments: [{ type: 'named', name: '-e', value: `${NAME}=1` }] }],
    ['input', { runtimeArguments: [{ type: 'named', name: '-v', value: `{${NAME}}:/x` }] }],
    ['argument', { packageArguments: [{ type: 'named', name: NAME }] }],
    ['input', { packageArguments: [{ type: 'positional', valueHint: NAME }] }],
    ['input', { packageArguments: [{ type: 'positional', value: `{${NAME}}`, ...INPUT }] }],
  ] as const) {
    it(`rejects a control character in the name of ${JSON.stringify(document).slice(0, 60)}`, async () => {
      expect((await caught(async () => withPackage(document))).message).to.equal(
        `dev.acme/weather cannot run: the name of its ${what} ${JSON.stringify(NAME)} holds a control character.`,
      );
    });
  }

  for (const remote of [
    { url: 'https://mcp.acme.example', headers: [{ name: NAME, value: 'x' }] },
    { url: `https://mcp.acme.example/{${NAME}}`, ...INPUT },
  ]) {
    it(`rejects a control character in a name of the remote ${JSON.stringify(remote).slice(0, 60)}`, async () => {
      const error = await caught(async () => entry({ remotes: [{ type: 'streamable-http', ...remote }] }));
      expect(error.code).to.equal('ERR_ENTRY_NOT_RUNNABLE');
      expect(error.message).to.contain(`${JSON.stringify(NAME)} holds a control character`);
    });
  }

  for (const [registryType, identifier] of [
    ['npm', '../notes'],
    ['npm', '/home/ada/notes'],
    ['pypi', './notes'],
    ['pypi', '.'],
  ] as const) {
    it(`rejects the folder ${identifier} as a package of ${registryType}`, () => {
      const packages = [{ registryType, identifier, transport: { type: 'stdio' } }];
      expect(() => entry({ packages }))
        .to.throw(`its package "${identifier}" is a folder of this machine`)
        .with.property('code', 'ERR_ENTRY_NOT_RUNNABLE');
    });
  }

  it('parses a container entry', () => {
    const settings = readServerSettings(GITHUB);
    expect(settings).to.deep.include({
      server: 'io.github.acme/forge',
      version: '0.30.1',
      title: 'Forge',
      runs: { form: 'image', image: 'ghcr.io/acme/forge:v0.30.1' },
      transport: 'stdio',
      targetPort: undefined,
      tools: ['issue_list'],
      repository: 'https://github.com/acme/forge',
    });
    expect(settings.permissions?.network?.outbound?.allow_host).to.deep.equal(['.github.com']);
    expect(settings.variables.map(({ name }) => name)).to.deep.equal([
      'FORGE_HOST',
      'FORGE_TOOLSETS',
      'FORGE_READ_ONLY',
      'FORGE_TOKEN',
    ]);
    expect(settings.notes).to.deep.equal([
      'Left out, because Portolan decides it itself: -i.',
      'The proxy_port of the entry does not count: --proxy-port chooses the port.',
    ]);
  });

  const ports = [
    { url: 'http://localhost:8080/mcp', port: '8080', path: '/mcp' },
    { url: 'http://localhost:8080', port: '8080', path: undefined },
    { url: 'http://localhost/mcp', port: undefined, path: '/mcp' },
    { url: 'http://[::1]:9000/sse?x=1', port: '9000', path: '/sse?x=1' },
    { url: 'http://localhost:8080/', port: '8080', path: '/' },
    { url: 'http://localhost:8080/semantic_layer/mcp', port: '8080', path: '/semantic_layer/mcp' },
    { url: 'http://localhost:8080/{NAME}/{--tenant}/mcp', port: '8080', path: '/notes/acme/mcp' },
    { url: 'http://localhost:8080/{tenant}/{hint}', port: '8080', path: '/acme/first' },
    { url: 'http://localhost:{PORT}/mcp', port: '3000', path: '/mcp' },
    { url: 'http://localhost:{FIXED}/mcp', port: '3001', path: '/mcp' },
    { url: 'http://localhost:{--port}/mcp', port: '3002', path: '/mcp' },
    { url: 'http://localhost:{port}/mcp', port: '3003', path: '/mcp' },
  ];
  for (const { url, port, path } of ports) {
    it(`finds the target port ${port} and the path ${path} in ${url}`, () => {
      const settings = withPackage({
        transport: { type: 'streamable-http', url },
        environmentVariables: [
          { name: 'PORT', default: '3000' },
          { name: 'FIXED', value: '3001' },
          { name: 'NAME', default: 'notes' },
        ],
        packageArguments: [
          { type: 'named', name: '--port', default: '3002' },
          { type: 'named', name: '--tenant', value: 'acme' },
          { type: 'positional', valueHint: 'hint', value: 'first' },
        ],
        runtimeArguments: [
          {
            type: 'named',
            name: '-e',
            value: 'LISTEN_PORT={port}',
            variables: { port: { default: '3003' } },
          },
        ],
      });
      const filled = fillServerSettings(settings, given());
      expect([filled.targetPort, filled.targetPath]).to.deep.equal([port && Number(port), path]);
    });
  }

  it('requires a value for a placeholder of the transport URL that the package does not define', () => {
    const settings = withPackage({
      transport: { type: 'streamable-http', url: 'http://localhost:8080/{tenant}/mcp' },
    });
    expect(findMissingInputs(settings, given()).map(({ name }) => name)).to.deep.equal(['tenant']);
    expect(fillServerSettings(settings, given({ tenant: 'eu' })).targetPath).to.equal('/eu/mcp');
  });

  for (const path of ['/health', '/metrics', '/.well-known/x', '/a%7Bb', '/a/../health']) {
    it(`rejects ${path} as the endpoint of a package`, async () => {
      const settings = withPackage({ transport: { type: 'sse', url: `http://localhost:8080${path}` } });
      const error = await caught(() => fillServerSettings(settings, given()));
      expect(error.code).to.equal('ERR_SETTING');
    });
  }

  it('names a transport URL without an effect, and a host in it', () => {
    const noteOf = (type: string, url: string): readonly string[] =>
      withPackage({ transport: { type, url } }).notes;
    expect(noteOf('streamable-http', 'https://api.acme.example/mcp')).to.deep.equal([
      'The host api.acme.example of the transport URL does not count: Portolan connects to the container.',
    ]);
    expect(noteOf('sse', 'localhost:80')[0]).to.match(/^The transport URL localhost:80 does not count/);
    expect(noteOf('stdio', 'http://localhost/mcp')[0]).to.match(/the transport is stdio\.$/);
  });

  it('chooses the first remote before any package', () => {
    const url = 'https://{tenant}.acme.example/mcp';
    const settings = entry({
      packages: [{ registryType: 'oci', identifier: 'a', transport: { type: 'stdio' } }],
      remotes: [
        {
          type: 'sse',
          url,
          variables: { tenant: { isRequired: true, choices: ['eu', 'us'] } },
          headers: [
            {
              name: 'Authorization',
              value: 'Bearer {key}',
              variables: { key: { isSecret: true, isRequired: true } },
            },
          ],
        },
        { type: 'streamable-http', url: 'https://other.example' },
      ],
      _meta: withExtension(url, { oauth_config: { issuer: 'https://id.acme.example' }, stateless: true }),
    });
    expect(settings).to.deep.include({
      transport: 'sse',
      stateless: true,
      oauthConfig: { issuer: 'https://id.acme.example' },
    });
    expect(findMissingInputs(settings, given()).map(({ name }) => name)).to.deep.equal(['key', 'tenant']);
    const filled = fillServerSettings(settings, given({ tenant: 'eu', key: 'hunter2' }));
    expect(filled.url).to.equal('https://eu.acme.example/mcp');
    expect(filled.headers.size).to.equal(0);
    expect(filled.secretHeaders).to.deep.equal([
      { name: 'registry-user-authorization', target: 'Authorization', value: 'Bearer hunter2' },
    ]);
  });

  const packages = [
    {
      registryType: 'npm',
      identifier: '@acme/notes',
      version: '2.1.0',
      expected: { form: 'package', scheme: 'npx', package: '@acme/notes@2.1.0' },
    },
    {
      registryType: 'npm',
      identifier: '@acme/notes',
      expected: { form: 'package', scheme: 'npx', package: '@acme/notes' },
    },
    {
      registryType: 'pypi',
      identifier: 'notes',
      version: '1',
      expected: { form: 'package', scheme: 'uvx', package: 'notes@1' },
    },
  ];
  for (const { expected, ...item } of packages) {
    it(`runs ${item.registryType} ${item.identifier} ${item.version ?? ''} through its scheme`, () => {
      const other = { registryType: 'nuget', identifier: 'Acme.Notes', transport: { type: 'stdio' } };
      const settings = entry({
        packages: [
          other,
          { ...item, transport: { type: 'stdio' }, runtimeArguments: [{ type: 'positional', value: '-y' }] },
        ],
      });
      expect(settings.runs).to.deep.equal(expected);
      expect(settings.notes).to.have.lengthOf(2);
    });
  }

  it('reads the port from the variable that the container receives', () => {
    const settings = withPackage({
      transport: { type: 'streamable-http', url: 'http://localhost:{port}/mcp' },
      runtimeArguments: [
        { type: 'named', name: '-e', value: 'PORT={port}', variables: { port: { isRequired: true } } },
      ],
    });
    expect(findMissingInputs(settings, given()).map(({ name }) => name)).to.deep.equal(['PORT']);
    const filled = fillServerSettings(settings, given({ PORT: '9000' }));
    expect(filled.targetPort).to.equal(9000);
  });

  const images = [
    { identifier: 'acme/x', registryBaseUrl: 'https://docker.io', image: 'docker.io/acme/x:1.2.3' },
    { identifier: 'acme/x', registryBaseUrl: 'https://ghcr.io/', image: 'ghcr.io/acme/x:1.2.3' },
    { identifier: 'acme/x:2', registryBaseUrl: 'https://ghcr.io', image: 'ghcr.io/acme/x:2' },
    { identifier: 'quay.io/acme/x', registryBaseUrl: 'https://ghcr.io', image: 'quay.io/acme/x:1.2.3' },
    { identifier: 'acme/x', registryBaseUrl: undefined, image: 'acme/x:1.2.3' },
  ];
  for (const { image, ...item } of images) {
    it(`composes the image ${image} from ${item.identifier}, its version and ${item.registryBaseUrl ?? 'no host'}`, () => {
      const extension = withExtension(item.identifier, { args: ['serve'] });
      const old = { registryType: 'oci', version: '1.2.3', transport: { type: 'stdio' }, ...item };
      const settings = entry({ packages: [old], _meta: extension });
      expect(settings.runs).to.deep.equal({ form: 'image', image });
      expect(settings.args).to.have.lengthOf(1);
    });
  }

  it('warns when a package does not come from the index that the entry names (official registry 812)', () => {
    const item = { registryType: 'npm', identifier: 'a', transport: { type: 'stdio' } };
    const notesOf = (registryBaseUrl: string): readonly string[] =>
      entry({ packages: [{ ...item, registryBaseUrl }] }).notes;
    expect(notesOf('https://registry.npmjs.org/')).to.deep.equal([]);
    expect(notesOf('https://npm.acme.example')).to.have.lengthOf(1);
  });

  it('prefers a single image to packages', () => {
    const settings = entry({
      packages: [
        { registryType: 'npm', identifier: 'a', transport: { type: 'stdio' } },
        { registryType: 'oci', identifier: 'acme/a:1', transport: { type: 'stdio' } },
      ],
    });
    expect(settings.runs).to.deep.equal({ form: 'image', image: 'acme/a:1' });
  });

  const broken = [
    {
      title: 'two images',
      document: { packages: [1, 2].map((tag) => ({ registryType: 'oci', identifier: `a:${tag}` })) },
      says: 'a:1, a:2',
    },
    {
      title: 'only packages of other types',
      document: { packages: [{ registryType: 'mcpb', identifier: 'x' }] },
      says: 'mcpb',
    },
    { title: 'neither package nor remote', document: {}, says: 'neither packages nor remotes' },
    {
      title: 'an invalid image',
      document: { packages: [{ registryType: 'oci', identifier: '--rm' }] },
      says: 'image reference',
    },
    { title: 'a remote without URL', document: { remotes: [{ type: 'sse' }] }, says: 'no URL' },
  ];
  for (const { title, document, says } of broken) {
    it(`rejects an entry with ${title}`, async () => {
      const error = await caught(() => entry(document));
      expect(error.code).to.equal('ERR_ENTRY_NOT_RUNNABLE');
      expect(error.message).to.include('dev.acme/weather').and.to.include(says);
    });
  }

  it('throws for invalid permissions of the entry instead of using more', async () => {
    const document = {
      packages: [{ registryType: 'oci', identifier: 'a:1' }],
      _meta: withExtension('a:1', { permissions: { network: 'no' } }),
    };
    expect(await caught(() => entry(document))).to.have.property('code', 'ERR_PERMISSION_PROFILE');
  });

  it('uses the only extension object when none has the key of the package', () => {
    const settings = entry({
      packages: [{ registryType: 'oci', identifier: 'a:2' }],
      _meta: withExtension('a:1', { permissions: { network: { outbound: {} } } }),
    });
    expect(settings.permissions?.network?.outbound).to.deep.include({ insecure_allow_all: false });
  });

  it('parses the oldest schema with snake_case names', () => {
    const settings = readServerSettings({
      name: 'dev.acme/old',
      description: 'x',
      version: '1.0.0',
      packages: [
        {
          registry_type: 'oci',
          identifier: 'acme/old:1',
          environment_variables: [{ name: 'KEY', is_required: true, is_secret: true }],
        },
      ],
    });
    expect(settings.runs).to.deep.equal({ form: 'image', image: 'acme/old:1' });
    expect(findMissingInputs(settings, given()).map(({ name }) => name)).to.deep.equal(['KEY']);
  });

  it('parses catalogues of the legacy format', async () => {
    const legacy = {
      version: '1.0.0',
      servers: {
        weather: {
          description: 'Forecasts',
          image: 'ghcr.io/acme/weather:1',
          transport: 'sse',
          target_port: 9090,
          args: ['--units', 'metric'],
          tools: ['forecast'],
          permissions: { network: { outbound: { allow_host: ['api.weather.example'], allow_port: [443] } } },
          env_vars: [
            { name: 'API_KEY', required: true, secret: true },
            { name: 'REGION', default: 'eu' },
          ],
        },
      },
      remote_servers: {
        notes: {
          description: 'Notes',
          url: 'https://notes.acme.example/mcp',
          transport: 'streamable-http',
          headers: [{ name: 'X-Tenant', required: true }],
          env_vars: [{ name: 'NOTES_USER', required: true }],
          oauth_config: { issuer: 'https://id.acme.example' },
        },
      },
    };
    const settings: ServerSettings[] = [];
    for await (const item of readCatalogue(Readable.from([JSON.stringify(legacy)]))) {
      if (!isSkippedEntry(item)) settings.push(readServerSettings(item.document as JsonObject)); // just made
    }
    const [weather, notes] = settings;
    expect(weather).to.deep.include({
      server: 'io.github.stacklok/weather',
      transport: 'sse',
      tools: ['forecast'],
    });
    expect(weather?.permissions?.network?.outbound?.allow_host).to.deep.equal(['api.weather.example']);
    const filled = weather && fillServerSettings(weather, given({ API_KEY: 'hunter2' }));
    expect(filled).to.deep.include({ args: ['--units', 'metric'], targetPort: 9090 });
    expect(filled?.secrets).to.deep.equal([
      { name: 'registry-user-api_key', target: 'API_KEY', value: 'hunter2' },
    ]);
    expect(filled && Object.fromEntries(filled.variables)).to.deep.equal({ REGION: 'eu' });
    expect(notes?.oauthConfig).to.deep.equal({ issuer: 'https://id.acme.example' });
    expect(notes && findMissingInputs(notes, given()).map(({ name }) => name)).to.deep.equal([
      'NOTES_USER',
      'X-Tenant',
    ]);
  });

  it('throws only coded errors', () => {
    const json = fc.jsonValue({ maxDepth: 3 });
    const item = fc.dictionary(
      fc.constantFrom(
        'registryType',
        'identifier',
        'transport',
        'packageArguments',
        'environmentVariables',
        'runtimeArguments',
        'version',
      ),
      fc.oneof(json, fc.constantFrom('oci', 'npm', 'a:1')),
    );
    const document = fc.record({
      packages: fc.array(item),
      remotes: fc.oneof(fc.constant([]), fc.array(item)),
      _meta: json,
    });
    fc.assert(
      fc.property(document, (value) => {
        try {
          const settings = entry(value);
          findMissingInputs(settings, given());
          fillServerSettings(settings, given());
        } catch (error) {
          expect(error).to.have.property('code').that.matches(/^ERR_/);
        }
      }),
    );
  });
});

describe('fillServerSettings', () => {
  const forge = readServerSettings(GITHUB);

  it('sets defaults, fixed values and given values, and omits optional variables without a value', () => {
    const filled = fillServerSettings(forge, given({ FORGE_TOKEN: 'hunter2' }));
    expect(Object.fromEntries(filled.variables)).to.deep.equal({
      FORGE_TOOLSETS: 'all',
      FORGE_READ_ONLY: '1',
    });
    expect(filled.secrets).to.deep.equal([
      { name: 'registry-user-forge_token', target: 'FORGE_TOKEN', value: 'hunter2' },
    ]);
  });

  it('omits a variable that the user sets', () => {
    const filled = fillServerSettings(
      forge,
      given({ FORGE_TOOLSETS: 'issues' }, { secrets: new Set(['FORGE_TOKEN']) }),
    );
    expect(filled.variables.has('FORGE_TOOLSETS')).to.equal(false);
    expect(filled.secrets).to.deep.equal([]);
  });

  it('stores the default value of a secret under a separate name', () => {
    const settings = withPackage({
      environmentVariables: [{ name: 'KEY', isSecret: true, default: 'demo' }],
    });
    expect(fillServerSettings(settings, given()).secrets).to.deep.equal([
      { name: 'registry-default-key', target: 'KEY', value: 'demo' },
    ]);
  });

  const args = [
    { title: 'a positional value', argument: { type: 'positional', value: 'serve' }, expected: ['serve'] },
    {
      title: 'a flag with a value',
      argument: { type: 'named', name: '--port', value: '80' },
      expected: ['--port', '80'],
    },
    {
      title: 'a flag with a default',
      argument: { type: 'named', name: '--port', default: '80' },
      expected: ['--port', '80'],
    },
    {
      title: 'a flag without a value',
      argument: { type: 'named', name: '--verbose' },
      expected: ['--verbose'],
    },
    {
      title: 'an optional value that is not given',
      argument: { type: 'positional', valueHint: 'folder' },
      expected: [],
    },
    {
      title: 'an optional flag that is not given',
      argument: { type: 'named', name: '--x', valueHint: 'y' },
      expected: [],
    },
    {
      title: 'a value that is given under its hint',
      argument: { type: 'positional', valueHint: 'given' },
      expected: ['mine'],
    },
    {
      title: 'variables in a value, each replaced once',
      argument: {
        type: 'positional',
        value: '{a}/{b}/{c}',
        variables: { a: { default: '{b}' }, b: { default: '2' } },
      },
      expected: ['{b}/2/{c}'],
    },
  ];
  for (const { title, argument, expected } of args) {
    it(`builds arguments of ${title}`, () => {
      const settings = withPackage({ packageArguments: [argument] });
      expect(fillServerSettings(settings, given({ given: 'mine' })).args).to.deep.equal(expected);
    });
  }

  it('requires and adds no arguments of the entry when the user gives arguments', () => {
    const settings = withPackage({
      packageArguments: [{ type: 'positional', valueHint: 'folder', isRequired: true }],
    });
    expect(findMissingInputs(settings, given()).map(({ name }) => name)).to.deep.equal(['folder']);
    const own = given({}, { hasArguments: true });
    expect(findMissingInputs(settings, own)).to.deep.equal([]);
    expect(fillServerSettings(settings, own).args).to.deep.equal([]);
  });

  it('rejects a value that is not among the choices', async () => {
    const settings = withPackage({ environmentVariables: [{ name: 'MODE', choices: ['a', 'b'] }] });
    const error = await caught(() => fillServerSettings(settings, given({ MODE: 'hunter2' })));
    expect(error.code).to.equal('ERR_SETTING');
    expect(error.message).to.include('"a", "b"').and.not.to.include('hunter2');
  });

  it('puts a placeholder for a secret into an argument', () => {
    const settings = withPackage({
      packageArguments: [{ type: 'named', name: '--token', valueHint: 'token', isSecret: true }],
    });
    const filled = fillServerSettings(settings, given({ token: 'hunter2' }));
    expect(filled.args).to.deep.equal(['--token', '$(token)']);
    expect(filled.inlineSecrets).to.deep.equal([
      { name: 'registry-user-input-token', target: 'token', value: 'hunter2' },
    ]);
    expect(fillServerSettings(settings, given()).args).to.deep.equal([]);
  });
});

describe('findMissingInputs', () => {
  it('lists each required input without a value once', () => {
    const settings = withPackage({
      environmentVariables: [
        { name: 'A', isRequired: true },
        { name: 'B', isRequired: true, default: 'x' },
        { name: 'C' },
        { name: 'D', isRequired: true, value: 'fixed' },
        { name: 'E', isRequired: true, value: '{F}-{G}', variables: { F: { isRequired: true }, G: {} } },
      ],
      packageArguments: [{ type: 'positional', valueHint: 'A', isRequired: true }],
    });
    expect(findMissingInputs(settings, given()).map(({ name }) => name)).to.deep.equal(['A', 'F']);
    expect(findMissingInputs(settings, given({ A: '1', E: '2' }))).to.deep.equal([]);
    expect(findMissingInputs(settings, given({ F: '1' }, { secrets: new Set(['A']) }))).to.deep.equal([]);
  });
});
