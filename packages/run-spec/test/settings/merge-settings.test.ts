import { expect } from 'chai';
import { classifyTarget } from '../../src/target/classify-target.ts';
import { fillServerSettings } from '../../src/registry-entry/fill-server-settings.ts';
import { readServerSettings } from '../../src/registry-entry/read-server-settings.ts';
import { formatRunConfig } from '../../src/run-config/format-run-config.ts';
import { liftSecrets } from '../../src/run-config/lift-secrets.ts';
import { parseRunConfig } from '../../src/run-config/parse-run-config.ts';
import { policySecretsIn, secretNamesIn } from '../../src/run-config/rename-secrets.ts';
import type { RunFlags } from '../../src/settings/run-flags.ts';
import { mergeEnvironment } from '../../src/settings/merge-environment.ts';
import { checkBesideFile, mergeSettings } from '../../src/settings/merge-settings.ts';
import type { MergedSettings } from '../../src/settings/merged-settings.ts';
import type { MergeInput } from '../../src/settings/merge-input.ts';
import { toRunConfig } from '../../src/settings/to-run-config.ts';
import { NO_USER_SETTINGS, readUserSettings } from '../../src/settings/user-settings.ts';
import { caught } from '../../../../test/support/caught.ts';

const context = { workingDirectory: '/srv/here', home: '/home/ann', platform: 'linux' } as const;
const clock = (): Date => new Date('2026-11-21T00:00:00Z');
const schemes = new Map([
  ['npx', 'npm'],
  ['uvx', 'python'],
] as const);

type Target = MergeInput['target'];
const image: Target = { from: 'image', reference: 'ghcr.io/acme/weather-mcp:1' };
const target = (text: string): Target => {
  const { target: found } = classifyTarget({ argument: text, fromConfig: undefined, schemes });
  if (found.from === 'name' || found.from === 'file')
    throw new Error('a target of another form was expected');
  return found;
};
const input = (flags: RunFlags, more: Partial<MergeInput> = {}): MergeInput => ({
  request: { target: 'x', args: [], flags },
  target: image,
  entry: undefined,
  user: NO_USER_SETTINGS,
  transports: new Map([
    ['stdio', 'messages'],
    ['sse', 'http'],
    ['streamable-http', 'http'],
  ]),
  environment: mergeEnvironment({
    folder: new Map(),
    folderName: undefined,
    file: new Map(),
    fileName: undefined,
    flags: flags.env ?? [],
  }),
  profileFile: undefined,
  exposedPorts: [],
  context,
  clock,
  ...more,
});
const merge = (flags: RunFlags, more?: Partial<MergeInput>): MergedSettings =>
  mergeSettings(input(flags, more));

const weather = readServerSettings({
  name: 'dev.acme/weather',
  description: 'x',
  version: '1.0.0',
  packages: [
    {
      registryType: 'oci',
      identifier: 'ghcr.io/acme/weather-mcp:1',
      transport: { type: 'streamable-http', url: 'http://localhost:9000/mcp' },
      packageArguments: [{ type: 'positional', value: '--metric' }],
      environmentVariables: [
        { name: 'REGION', default: 'eu' },
        { name: 'KEY', isSecret: true },
      ],
    },
  ],
  _meta: {
    'io.modelcontextprotocol.registry/publisher-provided': {
      'io.github.stacklok': {
        'ghcr.io/acme/weather-mcp:1': {
          proxy_port: 18_000,
          permissions: { name: 'weather', network: { outbound: {} } },
        },
      },
    },
  },
});
const entry = (values: Record<string, string> = {}): NonNullable<MergeInput['entry']> => ({
  server: weather,
  filled: fillServerSettings(weather, {
    values: new Map(Object.entries(values)),
    secrets: new Set(),
    hasArguments: false,
  }),
});
const server: Target = { from: 'registry', server: 'dev.acme/weather' };

describe('mergeSettings', () => {
  it('uses the documented defaults', () => {
    const settings = merge({});
    expect(settings.name).to.include({ value: 'acme-weather-mcp', from: 'rule' });
    expect(settings.group).to.include({ value: 'default', from: 'default' });
    expect(settings.host.value).to.equal('127.0.0.1');
    expect(settings.targetHost.value).to.equal('127.0.0.1');
    expect(settings.sessionTtlMs.value).to.equal(0);
    expect(settings.proxyPort).to.equal(undefined);
    expect(settings.transport).to.include({ value: 'stdio' });
    expect(settings.proxyMode).to.include({ value: 'streamable-http' });
    expect(settings.stdioSessions).to.include({ value: 'own', from: 'default' });
    expect(settings.container?.profile).to.deep.include({ from: 'default', named: 'network' });
    expect(settings.container?.isolateNetwork).to.include({ value: true, from: 'default' });
    expect(settings.container?.imageVerification.value).to.equal('warn');
    expect(settings.container?.ignoreGlobally.value).to.equal(true);
    expect(settings.warnings).to.deep.equal([]);
  });

  it('prefers the registry entry to defaults', () => {
    const settings = merge({}, { target: server, entry: entry() });
    expect(settings.name.value).to.equal('dev-acme-weather');
    expect(settings.transport).to.include({ value: 'streamable-http', from: 'registry' });
    expect(settings.targetPort).to.include({ value: 9000, from: 'registry' });
    expect(settings.proxyPort, 'the port is the choice of the user').to.equal(undefined);
    expect(settings.args).to.deep.include({ value: ['--metric'], from: 'registry' });
    expect(settings.environment.get('REGION')).to.deep.include({ value: 'eu', from: 'registry' });
    expect(settings.container?.profile).to.deep.include({ from: 'registry', named: undefined });
  });

  it('reads stateless from the entry, and a flag overrides it', () => {
    const told = merge(
      {},
      { target: server, entry: { ...entry(), server: { ...weather, stateless: true } } },
    );
    expect(told.stateless).to.include({ value: true, from: 'registry', by: 'stateless of the entry' });
    const denied = merge(
      { stateless: false },
      { target: server, entry: { ...entry(), server: { ...weather, stateless: true } } },
    );
    expect(denied.stateless).to.include({ value: false, from: 'flag' });
    const { stdioSessions } = merge({ stateless: true });
    expect(stdioSessions).to.include({ value: 'shared', from: 'rule' });
  });

  it('prefers flags to the registry entry', () => {
    const flags: RunFlags = {
      name: 'w',
      transport: 'stdio',
      targetPort: 1,
      proxyPort: 2,
      permissionProfile: 'none',
      env: ['REGION=us'],
    };
    const more = {
      target: server,
      entry: entry({ REGION: 'us' }),
      request: { target: 'x', args: ['--imperial'], flags },
    };
    const settings = merge(flags, more);
    expect(settings.name).to.include({ value: 'w', from: 'flag' });
    expect(settings.transport).to.include({ value: 'stdio', from: 'flag' });
    expect(settings.targetPort).to.include({ value: 1, from: 'flag' });
    expect(settings.proxyPort).to.include({ value: 2, from: 'flag' });
    expect(settings.args).to.deep.include({ value: ['--imperial'], from: 'flag' });
    expect(settings.environment.get('REGION')).to.include({ value: 'us', from: 'flag', by: '--env' });
    expect(settings.container?.profile).to.include({ from: 'flag', named: 'none' });
  });

  it('moves a variable that the entry marks as secret out of the environment, for any origin', () => {
    const settings = merge(
      { env: ['KEY=hunter2', 'X=1'] },
      { target: server, entry: entry({ KEY: 'hunter2', X: '1' }) },
    );
    expect([...settings.environment.keys()]).to.have.members(['REGION', 'X']);
    expect(settings.secrets).to.deep.include({
      value: [{ name: 'registry-user-key', target: 'KEY' }],
      from: 'registry',
    });
    expect(settings.secretsToStore).to.deep.equal([
      { name: 'registry-user-key', target: 'KEY', value: 'hunter2' },
    ]);
  });

  it('prefers a secret of the user to that of the entry', () => {
    const settings = merge({ secrets: ['mine,target=KEY'] }, { target: server, entry: entry({ KEY: 'x' }) });
    expect(settings.secrets.value).to.deep.equal([{ name: 'mine', target: 'KEY' }]);
    expect(settings.secretsToStore).to.deep.equal([]);
  });

  it('prefers flags to the settings of the user', () => {
    const user = readUserSettings(
      {
        ca_certificate_path: '/etc/ca.pem',
        runtime_configs: { npx: { builder_image: 'node:22', additional_packages: ['git'] } },
      },
      'config.yaml',
    );
    const npx = target('npx://@acme/notes@1.0.0');
    const settings = merge({}, { target: npx, user });
    expect(settings.container?.caCert).to.include({ value: '/etc/ca.pem', from: 'user' });
    expect(settings.container?.runtime).to.deep.include({ from: 'user', by: 'runtime_configs.npx' });
    const asked = merge({ caCert: 'my.pem', runtimeAddPackages: ['curl'] }, { target: npx, user });
    expect(asked.container?.caCert).to.include({ value: '/srv/here/my.pem', from: 'flag' });
    expect(asked.container?.runtime.value).to.deep.include({
      builder_image: '',
      additional_packages: ['curl'],
    });
    expect(merge({}, { target: target('uvx://a'), user }).container?.runtime.value).to.equal(undefined);
  });

  it('W2 › adds what a package is known to need to the flags and the settings of the user', () => {
    const azure = target('npx://@azure/mcp@2.0.5');
    const own = merge({}, { target: azure }).container?.runtime;
    expect(own).to.deep.include({
      value: {
        builder_image: 'node:24-slim',
        additional_packages: ['icu-devtools'],
        build_with: [],
        runtime_env: {},
      },
      from: 'rule',
    });
    const asked = merge({ runtimeAddPackages: ['curl'], runtimeImage: 'node:22-alpine' }, { target: azure });
    expect(asked.container?.runtime.value).to.deep.include({
      builder_image: 'node:22-alpine',
      additional_packages: ['curl', 'icu-libs'],
    });
    const extended = merge({ runtimeAddPackages: ['curl'] }, { target: azure }).container?.runtime;
    expect(extended?.value).to.deep.include({
      builder_image: 'node:24-slim',
      additional_packages: ['curl', 'icu-devtools'],
    });
    expect(extended?.by).to.match(/^--runtime-add-package, programs that the package is known to need/);
  });

  it('adds volumes and the network to the profile', () => {
    const settings = merge({
      volumes: ['./n:/data:ro', '/x:/data'],
      network: 'mine',
      permissionProfile: 'none',
    });
    expect(settings.container?.volumes.value).to.deep.equal(['/srv/here/n:/data:ro', '/x:/data']);
    expect(settings.container?.profile.profile).to.deep.include({ read: ['/srv/here/n:/data'], write: [] });
    expect(settings.container?.profile.profile.network?.mode).to.equal('mine');
    expect(settings.warnings).to.have.lengthOf(2);
  });

  it('shares one process when a port is published, unless a flag says otherwise', () => {
    expect(merge({ publish: ['8080:80'] }).stdioSessions).to.include({ value: 'shared', from: 'rule' });
    expect(merge({ publish: ['8080:80'], stdioSessions: 'own' }).stdioSessions).to.include({ value: 'own' });
  });

  it('warns about invalid labels', () => {
    const settings = merge({ labels: ['team=maps', 'a b=1'] });
    expect(settings.labels.value).to.deep.equal({ team: 'maps' });
    expect(settings.warnings.join()).to.include('a b=1');
  });

  const HEADERS = [
    { name: 'X-Key', isRequired: true, isSecret: true },
    { name: 'X-Other', isRequired: true, isSecret: true },
    { name: 'X-Team', value: 'sea' },
    { name: 'X-Part', value: 'in {part}', variables: { part: { default: 'two' } } },
  ];
  for (const [runs, part] of [
    [
      'remote',
      { remotes: [{ type: 'streamable-http', url: 'https://mcp.acme.example/mcp', headers: HEADERS }] },
    ],
    [
      'container',
      {
        packages: [
          {
            registryType: 'oci',
            identifier: 'ghcr.io/acme/notes:1',
            transport: { type: 'sse', url: 'http://localhost:8080/sse', headers: HEADERS },
          },
        ],
      },
    ],
  ] as const) {
    it(`puts values for headers of a ${runs} entry only into headers`, () => {
      const remote = readServerSettings({ name: 'dev.acme/remote', version: '1.0.0', ...part });
      const given = {
        values: new Map([['X-Key', 'hunter2']]),
        secrets: new Set(['X-Other']),
        hasArguments: false,
      };
      const settings = merge(
        { env: ['X-Key=hunter2'], secrets: ['mine,target=X-Other'] },
        {
          target: { from: 'registry', server: 'dev.acme/remote' },
          entry: { server: remote, filled: fillServerSettings(remote, given) },
        },
      );
      expect(settings[runs]?.headers).to.deep.equal({
        value: {
          add_plaintext_headers: { 'X-Team': 'sea', 'X-Part': 'in two' },
          add_headers_from_secret: { 'X-Key': 'registry-user-x-key', 'X-Other': 'mine' },
        },
        from: 'registry',
        by: 'the entry',
      });
      expect([...settings.environment.keys()]).to.deep.equal([]);
      expect(settings.secrets.value).to.deep.equal([]);
      expect(settings.secretsToStore.map(({ name }) => name)).to.deep.equal(['registry-user-x-key']);
      expect(settings.warnings).to.deep.equal([]);
    });
  }

  it('accepts header flags for a package with headers, and for no other package', () => {
    const transport = { type: 'streamable-http', headers: [{ name: 'X-Key', isRequired: true }] };
    const packages = [{ registryType: 'oci', identifier: 'ghcr.io/acme/notes:1', transport }];
    const notes = readServerSettings({ name: 'dev.acme/notes', version: '1.0.0', packages });
    const headers = new Set(['x-key']);
    const filled = fillServerSettings(notes, {
      values: new Map(),
      secrets: new Set(),
      hasArguments: false,
      headers,
    });
    const flags = { remoteForwardHeaders: ['x-key=mine'], remoteForwardHeadersSecret: ['X-Other=other'] };
    const given = {
      target: { from: 'registry', server: 'dev.acme/notes' },
      entry: { server: notes, filled },
    } as const;
    expect(merge(flags, given).container?.headers.value).to.deep.equal({
      add_plaintext_headers: { 'x-key': 'mine' },
      add_headers_from_secret: { 'X-Other': 'other' },
    });
    const without = readServerSettings({
      name: 'dev.acme/notes',
      version: '1.0.0',
      packages: [{ ...packages[0], transport: { type: 'streamable-http' } }],
    });
    expect(() => merge(flags, { ...given, entry: { ...given.entry, server: without } }))
      .to.throw()
      .with.property('code', 'ERR_SETTINGS_CONFLICT');
  });

  it('keeps a variable that contains a secret out of the environment', () => {
    const database = readServerSettings({
      name: 'dev.acme/database',
      version: '1.0.0',
      packages: [
        {
          registryType: 'oci',
          identifier: 'ghcr.io/acme/database:1',
          transport: { type: 'stdio' },
          environmentVariables: [
            {
              name: 'URL',
              value: 'postgres://me:{password}@db.acme.example',
              variables: { password: { isRequired: true, isSecret: true } },
            },
          ],
        },
      ],
    });
    const values = new Map([['password', 'hunter2']]);
    const filled = fillServerSettings(database, { values, secrets: new Set(), hasArguments: false });
    const settings = merge(
      { env: ['password=hunter2'] },
      { target: { from: 'registry', server: 'dev.acme/database' }, entry: { server: database, filled } },
    );
    expect([...settings.environment.keys()]).to.deep.equal([]);
    expect(settings.secrets.value).to.deep.equal([{ name: 'registry-user-url', target: 'URL' }]);
  });

  it('warns about a deprecated proxy mode', () => {
    expect(merge({ proxyMode: 'sse' }).warnings.join()).to.include('deprecated');
    expect(merge({ proxyMode: 'streamable-http' }).warnings).to.deep.equal([]);
  });

  it('forwards headers to a URL, and warns about flags without an effect', () => {
    const flags: RunFlags = {
      remoteForwardHeaders: ['X-Tenant=acme', 'Authorization=Bearer hunter2'],
      remoteForwardHeadersSecret: ['X-Key=my-key'],
      volumes: ['/a:/b'],
      caCert: '/ca.pem',
      imageVerification: 'enabled',
      targetHost: 'localhost',
      targetPort: 8080,
    };
    const merged = {
      target: target('https://api.acme.dev/sse'),
      request: { target: undefined, args: ['-x'], flags },
    };
    const settings = merge(flags, merged);
    expect(settings.container).to.equal(undefined);
    expect(settings.name.value).to.equal('acme');
    expect(settings.transport?.value).to.equal('sse');
    expect(settings.targetHost).to.include({ value: 'api.acme.dev', from: 'rule' });
    expect(settings.remote?.headers.value.add_headers_from_secret).to.deep.equal({ 'X-Key': 'my-key' });
    expect(settings.warnings).to.have.members(
      ['--volume', '--ca-cert', '--image-verification', '--target-host', '--target-port', '--'].map(
        (flag) => `${flag} has no effect: a remote server runs in no container.`,
      ),
    );
  });

  const bad: readonly { title: string; flags: RunFlags; more?: Partial<MergeInput>; code: string }[] = [
    {
      title: 'headers for an image',
      flags: { remoteForwardHeaders: ['A=b'] },
      code: 'ERR_SETTINGS_CONFLICT',
    },
    {
      title: 'stdio for a URL',
      flags: { transport: 'stdio' },
      more: { target: target('https://a.example') },
      code: 'ERR_SETTINGS_CONFLICT',
    },
    { title: 'a base image for an image', flags: { runtimeImage: 'node' }, code: 'ERR_SETTINGS_CONFLICT' },
    {
      title: 'a build requirement for npx',
      flags: { buildWith: ['a<2'] },
      more: { target: target('npx://a') },
      code: 'ERR_SETTINGS_CONFLICT',
    },
    {
      title: 'a package name that looks like an option',
      flags: { runtimeAddPackages: ['--x'] },
      more: { target: target('npx://a') },
      code: 'ERR_SETTING',
    },
    {
      title: 'an invalid base image',
      flags: { runtimeImage: 'a b' },
      more: { target: target('npx://a') },
      code: 'ERR_SETTING',
    },
    { title: 'a prefix without a slash', flags: { endpointPrefix: 'a' }, code: 'ERR_SETTING' },
    { title: 'a prefix that is invalid in a URL', flags: { endpointPrefix: '/ü' }, code: 'ERR_SETTING' },
    {
      title: '--stateless with a process for each session',
      flags: { stateless: true, stdioSessions: 'own' },
      code: 'ERR_SETTINGS_CONFLICT',
    },
    {
      title: '--stateless over HTTP+SSE',
      flags: { stateless: true, proxyMode: 'sse' },
      code: 'ERR_SETTINGS_CONFLICT',
    },
    {
      title: '--stateless with a server that speaks HTTP+SSE',
      flags: { stateless: true, transport: 'sse' },
      code: 'ERR_SETTINGS_CONFLICT',
    },
    {
      title: 'a session store with a stdio server',
      flags: { sessionStore: 'redis://h', transport: 'stdio' },
      code: 'ERR_SETTINGS_CONFLICT',
    },
    {
      title: 'a session store with a stateless server',
      flags: { sessionStore: 'redis://h', transport: 'streamable-http', stateless: true },
      code: 'ERR_SETTINGS_CONFLICT',
    },
    ...['redis://u:hunter2@h', 'redis', 'https://h', 'redis://'].map((sessionStore) => ({
      title: `the session store ${sessionStore}`,
      flags: { sessionStore, transport: 'streamable-http' },
      code: 'ERR_SETTING',
    })),
    {
      title: 'a session store password that is not the name of a secret',
      flags: { sessionStorePassword: 'hunter2,hunter2' },
      code: 'ERR_SETTING',
    },
    { title: 'a maximum of zero sessions', flags: { maxSessions: 0 }, code: 'ERR_SETTING' },
    { title: 'a maximum of sessions above the limit', flags: { maxSessions: 10_001 }, code: 'ERR_SETTING' },
    { title: 'a negative time', flags: { sessionTtlMs: -1 }, code: 'ERR_SETTING' },
    { title: 'an idle time below one second', flags: { stopAfterIdleMs: 999 }, code: 'ERR_SETTING' },
    {
      title: 'an idle time of a remote server',
      flags: { stopAfterIdleMs: 600_000 },
      more: { target: target('https://mcp.example/mcp') },
      code: 'ERR_SETTINGS_CONFLICT',
    },
    {
      title: 'a lazy start of a remote server',
      flags: { start: 'lazy' },
      more: { target: target('https://mcp.example/mcp') },
      code: 'ERR_SETTINGS_CONFLICT',
    },
    { title: 'an unknown start', flags: { start: 'later' }, code: 'ERR_SETTING' },
    {
      title: 'a lazy start with a session store',
      flags: { start: 'lazy', sessionStore: 'redis://h', transport: 'streamable-http' },
      code: 'ERR_SETTINGS_CONFLICT',
    },
    {
      title: 'an idle time with a session store',
      flags: { stopAfterIdleMs: 600_000, sessionStore: 'redis://h', transport: 'streamable-http' },
      code: 'ERR_SETTINGS_CONFLICT',
    },
    {
      title: 'a control character in the prefix',
      flags: { endpointPrefix: '/a\u001b' },
      code: 'ERR_SETTING',
    },
    { title: 'an invalid port', flags: { proxyPort: 65_536 }, code: 'ERR_SETTING' },
    { title: 'an invalid verification mode', flags: { imageVerification: 'maybe' }, code: 'ERR_SETTING' },
    { title: 'an invalid origin', flags: { allowedOrigins: ['acme.example'] }, code: 'ERR_SETTING' },
    { title: 'an unknown profile', flags: { permissionProfile: 'nome' }, code: 'ERR_PERMISSION_PROFILE' },
    { title: 'a reserved label', flags: { labels: ['portolan.dev/name=x'] }, code: 'ERR_SETTING' },
    { title: 'a host with a port', flags: { host: '127.0.0.1:80' }, code: 'ERR_HOST' },
    { title: 'an invalid secret', flags: { secrets: ['x'] }, code: 'ERR_SECRET_REFERENCE' },
    {
      title: 'isolation of the host network',
      flags: { network: 'host', isolateNetwork: true },
      code: 'ERR_SETTINGS_CONFLICT',
    },
    ...(
      [
        { remoteAuthClientSecret: 's' },
        { remoteAuthClientSecretFile: '/s' },
        { remoteAuthBearerToken: 't', remoteAuthIssuer: 'https://id.example' },
        { remoteAuthBearerTokenFile: '/t', remoteAuthScopes: ['a'] },
        { remoteAuthBearerToken: 't', remoteAuthClientId: 'c', remoteAuthClientSecret: 's' },
        { remoteAuthBearerToken: 't', remoteAuthSkipBrowser: true },
      ] satisfies readonly RunFlags[]
    ).map((flags) => ({
      title: `login flags without an effect: ${Object.keys(flags).join(', ')}`,
      flags,
      more: { target: target('https://mcp.example/mcp') },
      code: 'ERR_SETTINGS_CONFLICT',
    })),
  ];
  for (const { title, flags, more, code } of bad) {
    it(`rejects ${title}`, async () => {
      expect(await caught(() => merge(flags, more))).to.have.property('code', code);
    });
  }
});

describe('flags of a login', () => {
  const remote = { target: target('https://mcp.example/mcp') };
  const rows: readonly RunFlags[] = [
    { remoteAuth: true, remoteAuthBearerToken: 't' },
    { remoteAuthBearerTokenFile: '/t', remoteAuthSkipBrowser: false },
    { remoteAuthClientId: 'c', remoteAuthClientSecret: 's' },
  ];
  for (const flags of rows) {
    it(`are accepted together: ${Object.keys(flags).join(', ')}`, () => {
      expect(() => merge(flags, remote)).to.not.throw();
    });
  }
});

describe('mergeEnvironment', () => {
  it('prefers -e to the file, and the file to the folder', () => {
    const merged = mergeEnvironment({
      folder: new Map([
        ['A', 'folder'],
        ['B', 'folder'],
        ['C', 'folder'],
      ]),
      folderName: 'envs',
      file: new Map([
        ['B', 'file'],
        ['C', 'file'],
      ]),
      fileName: 'x.env',
      flags: ['C=flag', 'D=1', 'D=2'],
    });
    expect(Object.fromEntries([...merged].map(([key, { value }]) => [key, value]))).to.deep.equal({
      A: 'folder',
      B: 'file',
      C: 'flag',
      D: '2',
    });
    expect(merged.get('B')?.by).to.equal('--env-file x.env');
  });
});

describe('toRunConfig', () => {
  it('returns a document that parses back to the same', () => {
    const flags: RunFlags = {
      env: ['A=1'],
      volumes: ['/srv:/data'],
      publish: ['80'],
      secrets: ['k,target=K'],
      sessionTtlMs: 2_700_000,
      start: 'lazy',
      stopAfterIdleMs: 600_000,
      maxSessions: 64,
      labels: ['team=maps'],
    };
    const settings = merge(flags, { request: { target: 'x', args: ['--metric'], flags } });
    const config = toRunConfig(settings, {
      target: image,
      image: 'ghcr.io/acme/weather-mcp:1',
      transport: 'stdio',
      proxyMode: 'streamable-http',
      proxyPort: 18_432,
      targetPort: undefined,
    });
    expect(config).to.deep.include({
      run_target: 'ghcr.io/acme/weather-mcp:1',
      session_ttl: '45m0s',
      stop_after_idle: '10m0s',
      start: 'lazy',
      max_sessions: 64,
      stdio_sessions: 'shared',
      isolate_network: true,
      permission_profile_name_or_path: 'network',
      cmd_args: ['--metric'],
      secrets: ['k,target=K'],
      container_name: 'acme-weather-mcp',
    });
    const again = parseRunConfig(formatRunConfig(config), 'x');
    expect(again).to.deep.equal({ config, notes: [] });
  });

  it('stores the session store with a reference to its password', () => {
    const flags: RunFlags = {
      transport: 'streamable-http',
      sessionStore: 'redis://proxy@redis.acme.example:6379/1',
      sessionStorePassword: 'REDIS',
    };
    const config = toRunConfig(merge(flags), {
      target: image,
      image: 'ghcr.io/acme/weather-mcp:1',
      transport: 'streamable-http',
      proxyMode: '',
      proxyPort: 18_432,
      targetPort: 8080,
    });
    const fields = {
      session_store: 'redis://proxy@redis.acme.example:6379/1',
      session_store_password: 'REDIS,target=session_store_password',
    };
    expect(config).to.include(fields);
    expect(parseRunConfig(formatRunConfig(config), 'x').config).to.include(fields);
    expect([secretNamesIn(config), policySecretsIn(config)]).to.deep.equal([['REDIS'], ['REDIS']]);
    expect(merge({ sessionStore: 'memory' }).sessionStore.value).to.equal('');
  });

  it('shows no password of a session store', async () => {
    for (const flags of [
      { sessionStore: 'redis://u:hunter2@h' },
      { sessionStorePassword: 'hunter2,hunter2' },
    ]) {
      expect(String(await caught(() => merge(flags)))).to.not.include('hunter2');
    }
  });

  it('keeps credentials in headers, which liftSecrets replaces', () => {
    const url = target('https://api.acme.dev/mcp');
    const settings = merge({ remoteForwardHeaders: ['Authorization=Bearer hunter2'] }, { target: url });
    const facts = {
      target: url,
      image: '',
      transport: 'streamable-http',
      proxyMode: 'streamable-http',
      proxyPort: 1,
      targetPort: undefined,
    } as const;
    const { config, secrets } = liftSecrets(toRunConfig(settings, facts));
    expect(secrets.map(({ value }) => value)).to.deep.equal(['Bearer hunter2']);
    expect(formatRunConfig(config)).not.to.include('hunter2');
    expect(config.remote_url).to.equal('https://api.acme.dev/mcp');
  });

  it('names a package with its resolved version', () => {
    const npx = target('npx://@acme/notes@2.1.0');
    const facts = {
      target: npx,
      image: 'portolanlocal/x:1',
      transport: 'stdio',
      proxyMode: 'sse',
      proxyPort: 1,
      targetPort: undefined,
    } as const;
    expect(toRunConfig(merge({}, { target: npx }), facts)).to.include({
      run_target: 'npx://@acme/notes@2.1.0',
      image: 'portolanlocal/x:1',
    });
  });
});

describe('checkBesideFile', () => {
  it('rejects every setting next to a file, by its flag', async () => {
    const request = {
      target: undefined,
      fromConfig: 'w.json',
      args: ['x'],
      flags: { name: 'a', ignoreGlobally: false },
    };
    const error = await caught(() => checkBesideFile(request));
    expect(error.code).to.equal('ERR_SETTINGS_CONFLICT');
    expect(error.message).to.equal(
      '--from-config cannot be used with other configuration flags: [--name --ignore-globally --].',
    );
  });
  it('accepts a file alone, and flags without a file', () => {
    checkBesideFile({ target: undefined, fromConfig: 'w.json', args: [], flags: {} });
    checkBesideFile({ target: 'x', args: ['y'], flags: { name: 'a' } });
  });
});

describe('readUserSettings', () => {
  it('returns nothing for an empty document', () => {
    expect(readUserSettings(null, 'config.yaml')).to.equal(NO_USER_SETTINGS);
  });
  it('reports every problem', async () => {
    const error = await caught(() =>
      readUserSettings({ registry_url: 1, build: { allow_host: 'x' } }, 'config.yaml'),
    );
    expect(error.code).to.equal('ERR_USER_SETTINGS');
    expect(error.message).to.include('registry_url').and.to.include('build.allow_host');
  });
});
