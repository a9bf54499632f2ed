import type { JsonObject } from '@portolan/plugin-api';
import { expect } from 'chai';
import { changeRunConfig, type ChangedRunConfig } from '../../src/change/change-run-config.ts';
import type { RunChange } from '../../src/change/run-change.ts';
import { liftSecrets } from '../../src/run-config/lift-secrets.ts';
import { createRunConfig, type RunConfig } from '../../src/run-config/run-config.ts';
import { mergeEnvironment } from '../../src/settings/merge-environment.ts';
import { mergeSettings } from '../../src/settings/merge-settings.ts';
import { parsePackage } from '../../src/target/parse-package.ts';
import type { MergeInput } from '../../src/settings/merge-input.ts';
import {
  flagRow,
  RUN_FLAG_NAMES,
  type RunFlagName,
  type RunFlags,
  typedFlag,
} from '../../src/settings/run-flags.ts';
import { toRunConfig } from '../../src/settings/to-run-config.ts';
import { NO_USER_SETTINGS } from '../../src/settings/user-settings.ts';
import { caught } from '../../../../test/support/caught.ts';

const context = { workingDirectory: '/srv/here', home: '/home/ann', platform: 'linux' } as const;
const clock = (): Date => new Date('2026-11-21T00:00:00Z');
const profileFile = {
  read: ['/etc/acme:/etc/acme'],
  network: { outbound: { insecure_allow_all: false, allow_host: ['api.acme.example'], allow_port: [443] } },
};

/** What the files of policies hold in these tests, by flag. */
const POLICIES: { readonly [Name in RunFlagName]?: Partial<RunConfig> } = {
  authzConfig: {
    authz_config: { type: 'cedarv1', cedar: { policies: ['permit(principal, action, resource);'] } },
  },
  auditConfig: { audit_config: { enabled: true, includeRequestData: true } },
  enableAudit: { audit_config: { enabled: true } },
  rateLimitConfig: { rate_limit_config: { shared: { maxTokens: 5, refillPeriod: '1s' } } },
  toolsOverride: { tools_override: { echo: { name: 'say' } } },
};

type Target = MergeInput['target'];
const TARGETS: Readonly<Record<'image' | 'package' | 'remote', Target>> = {
  image: { from: 'image', reference: 'acme/weather:1' },
  package: {
    from: 'scheme',
    scheme: 'uvx',
    package: 'acme@1.0.0',
    reference: parsePackage('acme@1.0.0', 'python'),
  },
  remote: { from: 'url', url: new URL('https://mcp.acme.example/mcp') },
};

function inputOf(flags: RunFlags, target: Target): Omit<MergeInput, 'request' | 'entry' | 'exposedPorts'> {
  const isFile = flags.permissionProfile?.endsWith('.json') === true;
  return {
    target,
    user: NO_USER_SETTINGS,
    transports: new Map([
      ['stdio', 'messages'],
      ['sse', 'http'],
      ['streamable-http', 'http'],
    ]),
    environment: mergeEnvironment({
      folder: new Map(),
      folderName: undefined,
      file: new Map(flags.envFile === undefined ? [] : [['OF_FILE', '1']]),
      fileName: flags.envFile,
      flags: flags.env ?? [],
    }),
    profileFile: isFile ? profileFile : undefined,
    policyFiles: RUN_FLAG_NAMES.flatMap((flag) => {
      const fields = flags[flag] === undefined ? undefined : POLICIES[flag];
      return fields === undefined ? [] : [{ flag, fields }];
    }),
    context,
    clock,
  };
}

/** The run config of a `run` with these flags. */
function runOf(flags: RunFlags, target: Target, args: readonly string[] = ['--verbose']): RunConfig {
  const settings = mergeSettings({
    ...inputOf(flags, target),
    request: { target: 'x', args, flags },
    entry: undefined,
    exposedPorts: [],
  });
  const config = toRunConfig(settings, {
    target,
    image: target.from === 'url' ? '' : 'acme/weather:1',
    transport: settings.transport?.value ?? '',
    proxyMode: settings.proxyMode?.value ?? '',
    proxyPort: settings.proxyPort?.value ?? 8080,
    targetPort: settings.targetPort?.value,
  });
  return liftSecrets(config).config;
}

function change(
  config: RunConfig,
  { flags = {}, args, unset = [] }: Partial<RunChange>,
  target: Target = TARGETS.image,
): ChangedRunConfig {
  const changed = changeRunConfig(config, { flags, args, unset }, inputOf(flags, target));
  return { ...changed, config: liftSecrets(changed.config).config };
}

/** A workload with a setting of every group. */
const RICH: RunFlags = {
  name: 'weather',
  labels: ['team=a', 'stage=test'],
  env: ['REGION=eu', 'UNITS=metric'],
  secrets: ['weather-key,target=API_KEY'],
  volumes: ['/srv/notes:/notes:ro', '/srv/data:/data'],
  permissionProfile: 'none',
  publish: ['9001:9001'],
  transport: 'streamable-http',
  targetPort: 3000,
  host: '127.0.0.2',
  tools: ['echo,add'],
  oidcIssuer: 'https://id.acme.example',
  oidcAudience: 'weather',
  oidcClientId: 'portolan',
  oidcClientSecret: 'classified',
  resourceUrl: 'https://weather.acme.example',
  tokenExchangeUrl: 'https://id.acme.example/token',
  tokenExchangeClientId: 'exchange',
  tokenExchangeClientSecret: 'classified too',
  authzConfig: 'policy.json',
  enableAudit: true,
  otelEndpoint: 'collector.acme.example:4318',
  otelHeaders: ['x-key=classified'],
  otelCustomAttributes: 'team=a,stage=test',
  sessionTtlMs: 3_600_000,
  allowedOrigins: ['https://app.acme.example'],
  imageVerification: 'enabled',
  proxyPort: 8080,
};
const RICH_REMOTE: RunFlags = {
  name: 'notes',
  remoteAuth: true,
  remoteAuthIssuer: 'https://id.acme.example',
  remoteAuthClientId: 'portolan',
  remoteAuthClientSecret: 'classified',
  remoteAuthScopes: ['notes'],
  remoteForwardHeaders: ['X-Region=eu'],
  remoteForwardHeadersSecret: ['X-Key=notes-key'],
  oidcIssuer: 'https://id.acme.example',
  tools: ['read'],
  proxyPort: 8081,
};
const RICH_PACKAGE: RunFlags = {
  name: 'acme',
  buildWith: ['pydantic<2'],
  runtimeImage: 'acme/python:3',
  tools: ['a'],
};

/** A value of each flag, for the workload that it is about; null: another test is about it. */
const SAMPLES: { readonly [Name in RunFlagName]: NonNullable<RunFlags[Name]> | null } = {
  name: null,
  group: 'team',
  members: null,
  memberGroup: null,
  labels: ['stage=live'],
  env: ['REGION=us'],
  envFile: 'weather.env',
  envFileDir: null,
  secrets: ['other-key,target=API_KEY'],
  volumes: ['/srv/other:/notes'],
  permissionProfile: 'network',
  ignoreGlobally: false,
  printResolvedOverlays: true,
  publish: ['9002:9001'],
  network: 'bridge',
  isolateNetwork: false,
  allowContainerGateway: true,
  imageVerification: 'warn',
  caCert: '/etc/acme.pem',
  runtimeImage: 'acme/python:4',
  runtimeAddPackages: ['git'],
  buildWith: ['pydantic<3'],
  transport: 'sse',
  proxyMode: 'sse',
  proxyPort: 9000,
  host: '127.0.0.1',
  targetHost: 'server',
  targetPort: 4000,
  targetPath: '/other',
  endpointPrefix: '/weather',
  translateEras: false,
  sessionTtlMs: 60_000,
  start: 'lazy',
  stopAfterIdleMs: 600_000,
  sessionStore: 'redis://127.0.0.1:6379/0',
  sessionStorePassword: 'redis-password',
  stateless: null,
  stdioSessions: null,
  maxSessions: 4,
  trustProxyHeaders: true,
  allowedOrigins: ['https://other.acme.example'],
  tools: ['echo'],
  toolsOverride: 'tools.json',
  lock: '/srv/here/portolan.lock',
  drift: 'refuse',
  frozen: true,
  webhookConfig: null,
  rateLimitConfig: 'limits.json',
  tokenExchangeUrl: 'https://id.acme.example/other',
  tokenExchangeAudience: 'api',
  tokenExchangeClientId: 'other',
  tokenExchangeClientSecret: 'another',
  tokenExchangeClientSecretFile: null,
  tokenExchangeHeaderName: 'X-Upstream',
  tokenExchangeScopes: ['a', 'b'],
  tokenExchangeSubjectTokenType: 'id_token',
  oidcIssuer: 'https://id2.acme.example',
  oidcAudience: 'other',
  oidcAllowedClient: ['planner'],
  oidcClientId: 'other',
  oidcClientSecret: 'another',
  oidcJwksUrl: 'https://id.acme.example/keys',
  oidcIntrospectionUrl: 'https://id.acme.example/introspect',
  oidcScopes: ['openid', 'tools'],
  oidcInsecureAllowHttp: true,
  jwksAllowPrivateIp: true,
  jwksAuthTokenFile: '/run/token',
  resourceUrl: 'https://other.acme.example',
  cliCaBundle: '/etc/bundle.pem',
  authzConfig: 'policy.json',
  remoteAuth: true,
  remoteCredentials: null,
  remoteAuthIssuer: 'https://id2.acme.example',
  remoteAuthAuthorizeUrl: null,
  remoteAuthTokenUrl: null,
  remoteAuthClientId: 'other',
  remoteAuthClientSecret: 'another',
  remoteAuthClientSecretFile: null,
  remoteAuthBearerToken: null,
  remoteAuthBearerTokenFile: null,
  remoteAuthScopes: ['notes', 'files'],
  remoteAuthScopeParamName: 'user_scope',
  remoteAuthResource: 'https://mcp.acme.example',
  remoteAuthCallbackPort: 9999,
  remoteAuthSkipBrowser: true,
  remoteAuthTimeout: 60_000,
  remoteForwardHeaders: ['X-Region=us'],
  remoteForwardHeadersSecret: ['X-Key=other-key'],
  enableAudit: false,
  auditConfig: 'audit.json',
  otelEndpoint: 'other.acme.example:4318',
  otelInsecure: true,
  otelHeaders: ['x-key=another'],
  otelServiceName: 'weather',
  otelCustomAttributes: 'team=b',
  otelEnvVars: ['REGION'],
  otelTracingEnabled: false,
  otelMetricsEnabled: false,
  otelSamplingRate: 0.5,
  otelEnablePrometheusMetricsPath: true,
  otelUseLegacyAttributes: false,
};

/** Lists of a workload with one item changed: what `run` would have to be given. */
const WHOLE_LISTS: RunFlags = {
  labels: ['team=a', 'stage=live'],
  env: ['UNITS=metric', 'REGION=us'],
  volumes: ['/srv/data:/data', '/srv/other:/notes'],
  remoteForwardHeaders: ['X-Region=us'],
};

/** The flags of the rich workload without some. */
function richWithout(...names: readonly RunFlagName[]): RunFlags {
  return Object.fromEntries(Object.entries(RICH).filter(([name]) => !names.some((one) => one === name)));
}

const STDIO_ONLY: readonly RunFlagName[] = ['proxyMode', 'maxSessions'];

function workloadFor(name: RunFlagName): { readonly flags: RunFlags; readonly target: Target } {
  const { field } = flagRow(name);
  if (flagRow(name).only === 'remote') return { flags: RICH_REMOTE, target: TARGETS.remote };
  if (field.startsWith('runtime_config') || name === 'caCert')
    return { flags: RICH_PACKAGE, target: TARGETS.package };
  const stdio = richWithout(
    'publish',
    'tokenExchangeUrl',
    'tokenExchangeClientId',
    'tokenExchangeClientSecret',
    'targetPort',
  );
  return STDIO_ONLY.includes(name)
    ? { flags: { ...stdio, transport: 'stdio' }, target: TARGETS.image }
    : { flags: RICH, target: TARGETS.image };
}

/** Settings that `run` has no flags for; every change keeps them. */
const WITHOUT_FLAGS: Partial<RunConfig> = {
  mcpserver_generation: 3,
  rate_limit_namespace: 'acme',
  additional_middleware_configs: [{ type: 'acme' }],
};

describe('changeRunConfig', () => {
  // N1: a change of one flag keeps all other settings.
  for (const name of RUN_FLAG_NAMES) {
    const sample = SAMPLES[name];
    if (sample === null) continue;
    it(`N1 › ${typedFlag(name)} › gives the run config of a run with all flags of the workload`, () => {
      const { flags, target } = workloadFor(name);
      const base = { ...runOf(flags, target), ...WITHOUT_FLAGS };
      const { config } = change(base, { flags: { [name]: sample } }, target);
      const whole = { ...flags, [name]: WHOLE_LISTS[name] ?? sample };
      const expected = { ...runOf(whole, target), ...WITHOUT_FLAGS };
      expect(sorted(config)).to.deep.equal(sorted(expected));
    });
  }

  it('N1 › keeps every other field unchanged', () => {
    const base: RunConfig = {
      ...runOf(RICH, TARGETS.image),
      ...WITHOUT_FLAGS,
      remote_auth_config: undefined,
      oidc_config: { ...(runOf(RICH, TARGETS.image).oidc_config ?? fail()), CACertPath: '/etc/ca.pem' },
    };
    const { config } = change(base, { flags: { tools: ['echo'] } });
    expect(config).to.deep.equal({ ...base, tools_filter: ['echo'] });
    expect(change(base, { args: ['-q'] }).config).to.deep.equal({ ...base, cmd_args: ['-q'] });
  });

  it('N1 › adds an item to a list whose items have names', () => {
    const base = runOf(RICH, TARGETS.image);
    const { config } = change(base, {
      flags: { env: ['NEW=1'], volumes: ['/srv/new:/new:ro'], publish: ['9005:9005'], labels: ['new=1'] },
    });
    expect(config.env_vars).to.deep.equal({ REGION: 'eu', UNITS: 'metric', NEW: '1' });
    expect(config.volumes).to.deep.equal(['/srv/notes:/notes:ro', '/srv/data:/data', '/srv/new:/new:ro']);
    expect(config.publish).to.deep.equal(['9001:9001', '9005:9005']);
    expect(config.permission_profile?.read).to.deep.equal(['/srv/notes:/notes', '/srv/new:/new']);
    expect(config.permission_profile?.write).to.deep.equal(['/srv/data:/data']);
    expect(config.container_labels).to.deep.equal({ team: 'a', stage: 'test', new: '1' });
  });

  it('N1 › removes a variable from the environment when it becomes a secret, and the reverse', () => {
    const base = runOf(RICH, TARGETS.image);
    const clear = change(base, { flags: { env: ['API_KEY=none'] } }).config;
    expect([clear.env_vars['API_KEY'], clear.secrets]).to.deep.equal(['none', []]);
    const secret = change(base, { flags: { secrets: ['region,target=REGION'] } }).config;
    expect(secret.env_vars).to.deep.equal({ UNITS: 'metric' });
    expect(secret.secrets).to.have.length(2);
  });

  const UNSET: readonly (readonly [
    text: string,
    check: (config: RunConfig) => unknown,
    expected: unknown,
  ])[] = [
    ['env=REGION', ({ env_vars: variables }) => variables, { UNITS: 'metric' }],
    ['env', ({ env_vars: variables }) => variables, {}],
    ['-e', ({ env_vars: variables }) => variables, {}],
    ['--env-file', ({ env_vars: variables }) => variables, {}],
    ['secret=API_KEY', ({ secrets }) => secrets, []],
    ['label=team', ({ container_labels: labels }) => labels, { stage: 'test' }],
    [
      'volume=/notes',
      ({ permission_profile: profile }) => [profile?.read, profile?.write],
      [[], ['/srv/data:/data']],
    ],
    ['volume', ({ permission_profile: profile }) => [profile?.read, profile?.write], [[], []]],
    ['publish=9001', ({ publish }) => publish, []],
    ['tools', ({ tools_filter: tools }) => tools, []],
    ['authz-config', ({ authz_config: policy }) => policy, undefined],
    ['enable-audit', ({ audit_config: audit }) => audit, undefined],
    [
      'oidc-audience',
      ({ oidc_config: oidc }) => [oidc?.Issuer, oidc?.Audience],
      ['https://id.acme.example', ''],
    ],
    ['oidc-client-secret', ({ oidc_config: oidc }) => [oidc?.ClientID, oidc?.ClientSecret], ['portolan', '']],
    ['otel-endpoint', ({ telemetry_config: telemetry }) => telemetry, undefined],
    ['otel-headers', ({ telemetry_config: telemetry }) => telemetry?.['headers'], {}],
    ['token-exchange-url', ({ token_exchange_config: exchange }) => exchange, undefined],
    ['session-ttl', ({ session_ttl: ttl }) => ttl, ''],
    ['host', ({ host }) => host, '127.0.0.1'],
    ['args', ({ cmd_args: args }) => args, []],
    [
      'permission-profile',
      ({ permission_profile: profile }) => profile?.network?.outbound?.insecure_allow_all,
      true,
    ],
    ['image-verification', ({ image_verification: mode }) => mode, 'warn'],
  ];
  for (const [text, read, expected] of UNSET) {
    it(`N1 › --unset ${text} › restores the default`, () => {
      const base = runOf(RICH, TARGETS.image);
      const { config } = change(base, { unset: [text] });
      expect(read(config)).to.deep.equal(expected);
      expect(read(base)).not.to.deep.equal(expected);
    });
  }

  it('N1 › --unset of a login removes all its settings, and keeps the public address', () => {
    const base = runOf(
      richWithout('tokenExchangeUrl', 'tokenExchangeClientId', 'tokenExchangeClientSecret'),
      TARGETS.image,
    );
    const { oidc_config: oidc } = change(base, { unset: ['oidc-issuer'] }).config;
    expect([oidc?.Issuer, oidc?.Audience, oidc?.ClientID, oidc?.ClientSecret]).to.deep.equal([
      '',
      '',
      '',
      '',
    ]);
    expect(oidc?.ResourceURL).to.equal('https://weather.acme.example');
  });

  it('N1 › keeps stored facts of a remote login, and removes headers in any letter case', () => {
    const stored: JsonObject = { cached_client_id: 'abc', cached_refresh_token_ref: 'ref' };
    const remote = runOf(RICH_REMOTE, TARGETS.remote);
    const base = { ...remote, remote_auth_config: { ...remote.remote_auth_config, ...stored } };
    const changed = change(base, { flags: { remoteAuthScopes: ['files'] } }, TARGETS.remote).config;
    expect(changed.remote_auth_config).to.deep.equal({ ...base.remote_auth_config, scopes: ['files'] });
    const without = change(base, { unset: ['remote-forward-headers=x-region'] }, TARGETS.remote).config;
    expect(without.header_forward?.add_plaintext_headers).to.deep.equal({});
    expect(without.header_forward?.add_headers_from_secret).to.deep.equal({ 'X-Key': 'notes-key' });
  });

  it('N1 › keeps the mode of --network with another built-in profile, and drops that of a profile file', () => {
    const host = { ...richWithout('publish'), network: 'host', permissionProfile: 'network' };
    const none = { flags: { permissionProfile: 'none' } };
    expect(change(runOf(host, TARGETS.image), none).config.permission_profile?.network?.mode).to.equal(
      'host',
    );
    const file = { ...runOf(host, TARGETS.image), permission_profile_name_or_path: 'weather.json' };
    expect(change(file, none).config.permission_profile?.network?.mode).to.equal(undefined);
  });

  it('N1 › isolates the network again when it replaces the network none', () => {
    const none = { ...richWithout('publish'), network: 'none' };
    const base = runOf(none, TARGETS.image);
    expect(base.isolate_network).to.equal(false);
    expect(change(base, { flags: { network: 'bridge' } }).config.isolate_network).to.equal(true);
    expect(change(base, { unset: ['network'] }).config.isolate_network).to.equal(true);
  });

  const REFUSED: readonly (readonly [
    title: string,
    change: Partial<RunChange>,
    code: string,
    text: string,
  ])[] = [
    ['another name', { flags: { name: 'other' } }, 'ERR_SETTINGS_CONFLICT', 'cannot change the name'],
    ['--unset of an unknown setting', { unset: ['tool'] }, 'ERR_SETTING', 'tools'],
    ['--unset of the name', { unset: ['name'] }, 'ERR_SETTING', 'keeps its name'],
    ['--unset of an item without a name', { unset: ['tools=echo'] }, 'ERR_SETTING', 'no names'],
    ['--unset of an empty item', { unset: ['env='] }, 'ERR_SETTING', 'env=VARIABLE'],
    [
      'a setting that is given and unset',
      { flags: { tools: ['a'] }, unset: ['tools'] },
      'ERR_SETTINGS_CONFLICT',
      '--tools',
    ],
    ['arguments that are given and unset', { args: ['a'], unset: ['args'] }, 'ERR_SETTINGS_CONFLICT', '--'],
    [
      'a network that cannot be isolated',
      { flags: { network: 'acme' } },
      'ERR_SETTINGS_CONFLICT',
      '--isolate-network',
    ],
    ['a flag of remotes', { flags: { remoteAuth: true } }, 'ERR_SETTINGS_CONFLICT', '--remote-auth'],
    [
      'a build of an image',
      { flags: { runtimeImage: 'acme/python' } },
      'ERR_SETTINGS_CONFLICT',
      '--runtime-image',
    ],
  ];
  for (const [title, asked, code, text] of REFUSED) {
    it(`N1 › rejects ${title}`, async () => {
      const error = await caught(() => change(runOf(richWithout('publish'), TARGETS.image), asked));
      expect(error).to.have.property('code', code);
      expect(error.message).to.include(text);
    });
  }

  it('N1 › refuses to unset a setting of the registry entry, and removes one item of it', async () => {
    const base = { ...runOf(RICH, TARGETS.image), registry_server_name: 'dev.acme/weather' };
    for (const unset of ['permission-profile', 'env', 'args', 'transport']) {
      const error = await caught(() => change(base, { unset: [unset] }));
      expect(error, unset).to.have.property('code', 'ERR_SETTINGS_CONFLICT');
      expect(error.message).to.include('dev.acme/weather');
    }
    expect(change(base, { unset: ['env=REGION'] }).config.env_vars).to.deep.equal({ UNITS: 'metric' });
  });

  it('N1 › requires a new build of a package only for build settings', () => {
    const base = runOf(RICH_PACKAGE, TARGETS.package);
    expect(change(base, { flags: { tools: ['b'] } }, TARGETS.package).needsBuild).to.equal(false);
    expect(change(base, { flags: { buildWith: ['x'] } }, TARGETS.package).needsBuild).to.equal(true);
    expect(change(base, { unset: ['build-with'] }, TARGETS.package).needsBuild).to.equal(true);
  });

  it('N1 › warns only about given flags', () => {
    const base = runOf(richWithout('publish'), TARGETS.image);
    const { warnings } = change(base, { flags: { stdioSessions: 'own', oidcAudience: 'b' } });
    expect(warnings.map((text) => text.split(' ')[0])).to.deep.equal(['--stdio-sessions']);
  });
});

/** Fields of one order: the order of variables in a run config is no setting. */
function sorted(config: RunConfig): unknown {
  const { secrets, permission_profile: profile, ...rest } = createRunConfig(config);
  return { ...rest, secrets: secrets.toSorted(), profile: { ...profile, name: undefined } };
}

function fail(): never {
  throw new Error('the login is missing');
}
