import { Config } from '@oclif/core';
import { type RunFlags, type RunRequest, typedFlag } from '@portolan/run-spec';
import { expect } from 'chai';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { runPortolan } from '../../../test/support/command-line.ts';
import { commandLineFault } from '../src/command-line/command-line-fault.ts';
import Run from '../src/commands/run.ts';
import { exitStatusOf } from '../src/command-line/exit-status.ts';
import { toRunRequest } from '../src/command-line/to-run-request.ts';
import { readFlagTable, readShownFlags } from './support/run-flag-table.ts';

const TABLE = readFlagTable();

class ReadingRun extends Run {
  async request(): Promise<RunRequest> {
    const { flags, args, rest } = await this.readArguments(Run, { takesRest: true });
    return toRunRequest(args.server, flags, rest);
  }
}

let config: Config;

async function requestOf(argv: readonly string[]): Promise<RunRequest> {
  return await new ReadingRun([...argv], config).request();
}

async function faultOf(argv: readonly string[]): Promise<{ status: number; message: string; hint: unknown }> {
  try {
    await requestOf(argv);
  } catch (error) {
    const fault = (await commandLineFault(error)) ?? error;
    const { message } = fault as Error;
    return {
      status: exitStatusOf(fault),
      message,
      hint: fault instanceof Error && 'hint' in fault && fault.hint,
    };
  }
  throw new Error(`${argv.join(' ')} was taken`);
}

describe('portolan run, flags', function () {
  this.timeout(180_000); // starts a process

  before(async () => {
    const root = path.resolve(import.meta.dirname, '..');
    const text = await readFile(path.join(root, 'package.json'), 'utf8');
    const { name, version } = JSON.parse(text) as { name: string; version: string };
    config = await Config.load({ root, pjson: { name, version, oclif: {} }, userPlugins: false });
  });

  it('match the table in --help, with types and defaults', async () => {
    const { stdout } = await runPortolan(['run', '--help'], { env: { OCLIF_COLUMNS: '400' } });
    const shown = readShownFlags(stdout);
    const expected = TABLE.map(({ name, char, type, fallback }) => [
      name,
      {
        char,
        takesValue: type !== 'boolean',
        isRepeatable: type === 'stringArray' || type === 'strings',
        fallback,
      },
    ]);
    expect(Object.fromEntries(shown)).to.deep.equal(Object.fromEntries(expected));
  });

  it('exit with status 2 for an unknown flag', async () => {
    const { status, stdout, stderr } = await runPortolan(['run', '--remote-auth-secret=hunter2', 'image']);
    expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
    expect(stderr)
      .to.match(/^error: unknown flag --remote-auth-secret$/m)
      .and.not.to.include('hunter2');
  });

  it('suggest the nearest flag for an unknown one', async () => {
    expect(await faultOf(['--trasport', 'sse', 'image'])).to.include({ hint: 'did you mean --transport?' });
  });

  for (const far of ['--upstream-swap', '--qwertyuiop']) {
    it(`suggest no flag for ${far}, which is not similar to any`, async () => {
      expect(await faultOf([far, 'x', 'image'])).to.include({
        hint: 'add --help to see the flags of the command',
      });
    });
  }

  it('set nothing when no flag is given', async () => {
    expect(await requestOf(['image'])).to.deep.equal({ target: 'image', args: [], flags: {} });
  });
});

/** Test value of each flag, by the field that it sets. */
const FIELDS: {
  readonly [Field in keyof Required<RunFlags>]: readonly [argv: string[], value: RunFlags[Field]];
} = {
  name: [['--name', 'weather'], 'weather'],
  members: [['--members', 'desk.yaml'], 'desk.yaml'],
  memberGroup: [['--member-group=team'], 'team'],
  tools: [
    ['--tools', 'a, b', '--tools=c'],
    ['a, b', 'c'],
  ],
  webhookConfig: [
    ['--webhook-config', 'a.yaml', '--webhook-config', 'b,c.json'],
    ['a.yaml', 'b,c.json'],
  ],
  authzConfig: [['--authz-config', 'authz.yaml'], 'authz.yaml'],
  lock: [['--lock', 'portolan.lock'], 'portolan.lock'],
  drift: [['--drift=hold'], 'hold'],
  frozen: [['--frozen'], true],
  toolsOverride: [['--tools-override', 'override.json'], 'override.json'],
  oidcIssuer: [['--oidc-issuer', 'https://id.acme.example'], 'https://id.acme.example'],
  oidcAudience: [['--oidc-audience=weather'], 'weather'],
  oidcAllowedClient: [
    ['--oidc-allowed-client', 'a,b', '--oidc-allowed-client=c'],
    ['a,b', 'c'],
  ],
  oidcClientId: [['--oidc-client-id', 'proxy'], 'proxy'],
  oidcClientSecret: [['--oidc-client-secret', 'id-key,target=oidc'], 'id-key,target=oidc'],
  oidcJwksUrl: [['--oidc-jwks-url', 'https://id.acme.example/keys'], 'https://id.acme.example/keys'],
  oidcIntrospectionUrl: [
    ['--oidc-introspection-url', 'https://id.acme.example/i'],
    'https://id.acme.example/i',
  ],
  oidcScopes: [
    ['--oidc-scopes', 'a, b', '--oidc-scopes=c'],
    ['a', 'b', 'c'],
  ],
  oidcInsecureAllowHttp: [['--oidc-insecure-allow-http'], true],
  jwksAllowPrivateIp: [['--jwks-allow-private-ip=true'], true],
  jwksAuthTokenFile: [['--jwks-auth-token-file', './token'], './token'],
  resourceUrl: [['--resource-url', 'https://mcp.acme.example/weather'], 'https://mcp.acme.example/weather'],
  cliCaBundle: [['--cli-ca-bundle', 'ca.pem'], 'ca.pem'],
  group: [['--group', 'trial'], 'trial'],
  labels: [
    ['-l', 'a=b', '--label', 'c=d,e', '-lf=g'],
    ['a=b', 'c=d,e', 'f=g'],
  ],
  env: [
    ['-e', 'A=1', '-eB=2', '--env=C=3', '--env', 'D=a,b'],
    ['A=1', 'B=2', 'C=3', 'D=a,b'],
  ],
  envFile: [['--env-file', '.env'], '.env'],
  envFileDir: [['--env-file-dir', 'env.d'], 'env.d'],
  secrets: [['--secret', 'key,target=API_KEY'], ['key,target=API_KEY']],
  volumes: [
    ['-v', './a:/a', '--volume', './b:/b:ro'],
    ['./a:/a', './b:/b:ro'],
  ],
  publish: [
    ['-p', '8080:80', '-p9090'],
    ['8080:80', '9090'],
  ],
  network: [['--network', 'host'], 'host'],
  isolateNetwork: [['--isolate-network=false'], false],
  allowContainerGateway: [['--allow-container-gateway'], true],
  permissionProfile: [['--permission-profile', './profile.json'], './profile.json'],
  imageVerification: [['--image-verification', 'enabled'], 'enabled'],
  ignoreGlobally: [['--ignore-globally=F'], false],
  printResolvedOverlays: [['--print-resolved-overlays=1'], true],
  caCert: [['--ca-cert', 'ca.pem'], 'ca.pem'],
  runtimeImage: [['--runtime-image', 'node:24'], 'node:24'],
  runtimeAddPackages: [
    ['--runtime-add-package', 'git', '--runtime-add-package', 'curl'],
    ['git', 'curl'],
  ],
  buildWith: [['--build-with', 'pydantic<2.13'], ['pydantic<2.13']],
  transport: [['--transport', 'sse'], 'sse'],
  proxyMode: [['--proxy-mode', 'sse'], 'sse'],
  proxyPort: [['--proxy-port', '0x1f90'], 8080],
  host: [['--host', '::1'], '::1'],
  targetHost: [['--target-host', 'backend.acme.example'], 'backend.acme.example'],
  targetPort: [['--target-port=3000'], 3000],
  targetPath: [['--target-path', '/tools/mcp'], '/tools/mcp'],
  endpointPrefix: [['--endpoint-prefix', '/mcp'], '/mcp'],
  translateEras: [['--translate-eras=false'], false],
  sessionTtlMs: [['--session-ttl', '1h30m'], 5_400_000],
  start: [['--start', 'lazy'], 'lazy'],
  stopAfterIdleMs: [['--stop-after-idle', '10m'], 600_000],
  sessionStore: [['--session-store', 'redis://redis.acme.example/0'], 'redis://redis.acme.example/0'],
  sessionStorePassword: [['--session-store-password', 'REDIS'], 'REDIS'],
  stateless: [['--stateless'], true],
  maxSessions: [['--max-sessions', '64'], 64],
  trustProxyHeaders: [['--trust-proxy-headers=T'], true],
  stdioSessions: [['--stdio-sessions', 'shared'], 'shared'],
  allowedOrigins: [['--allowed-origins', 'https://app.acme.example'], ['https://app.acme.example']],
  remoteAuth: [['--remote-auth'], true],
  remoteCredentials: [['--remote-credentials', 'signed-requests'], 'signed-requests'],
  remoteAuthIssuer: [['--remote-auth-issuer', 'https://id.acme.example'], 'https://id.acme.example'],
  remoteAuthAuthorizeUrl: [
    ['--remote-auth-authorize-url', 'https://id.acme.example/authorize'],
    'https://id.acme.example/authorize',
  ],
  remoteAuthTokenUrl: [
    ['--remote-auth-token-url', 'https://id.acme.example/token'],
    'https://id.acme.example/token',
  ],
  remoteAuthClientId: [['--remote-auth-client-id', 'client'], 'client'],
  remoteAuthClientSecret: [['--remote-auth-client-secret', 's3cret'], 's3cret'],
  remoteAuthClientSecretFile: [['--remote-auth-client-secret-file', 'secret.txt'], 'secret.txt'],
  remoteAuthBearerToken: [['--remote-auth-bearer-token', 't0ken'], 't0ken'],
  remoteAuthBearerTokenFile: [['--remote-auth-bearer-token-file', 'token.txt'], 'token.txt'],
  remoteAuthScopes: [
    ['--remote-auth-scopes', 'openid, notes.read', '--remote-auth-scopes=notes.write'],
    ['openid', 'notes.read', 'notes.write'],
  ],
  remoteAuthScopeParamName: [['--remote-auth-scope-param-name', 'scopes'], 'scopes'],
  remoteAuthResource: [['--remote-auth-resource', 'https://mcp.acme.example'], 'https://mcp.acme.example'],
  remoteAuthCallbackPort: [['--remote-auth-callback-port', '9000'], 9000],
  remoteAuthSkipBrowser: [['--remote-auth-skip-browser'], true],
  remoteAuthTimeout: [['--remote-auth-timeout', '1m'], 60_000],
  remoteForwardHeaders: [
    ['--remote-forward-headers', 'X-A=1', '--remote-forward-headers', 'X-B=2'],
    ['X-A=1', 'X-B=2'],
  ],
  tokenExchangeUrl: [['--token-exchange-url', 'https://id.example/token'], 'https://id.example/token'],
  tokenExchangeAudience: [['--token-exchange-audience', 'backend'], 'backend'],
  tokenExchangeClientId: [['--token-exchange-client-id', 'proxy'], 'proxy'],
  tokenExchangeClientSecret: [['--token-exchange-client-secret', 's3cret'], 's3cret'],
  tokenExchangeClientSecretFile: [['--token-exchange-client-secret-file', 'secret.txt'], 'secret.txt'],
  tokenExchangeHeaderName: [['--token-exchange-header-name', 'X-Upstream-Token'], 'X-Upstream-Token'],
  tokenExchangeScopes: [
    ['--token-exchange-scopes', 'a,b', '--token-exchange-scopes=c'],
    ['a', 'b', 'c'],
  ],
  tokenExchangeSubjectTokenType: [['--token-exchange-subject-token-type', 'id_token'], 'id_token'],
  rateLimitConfig: [['--rate-limit-config', 'limits.yaml'], 'limits.yaml'],
  enableAudit: [['--enable-audit'], true],
  auditConfig: [['--audit-config', 'audit.json'], 'audit.json'],
  otelEndpoint: [['--otel-endpoint', 'collector:4318'], 'collector:4318'],
  otelInsecure: [['--otel-insecure'], true],
  otelHeaders: [
    ['--otel-headers', 'a=1,2', '--otel-headers', 'b=3'],
    ['a=1,2', 'b=3'],
  ],
  otelServiceName: [['--otel-service-name', 'weather'], 'weather'],
  otelCustomAttributes: [['--otel-custom-attributes', 'a=b,c=d'], 'a=b,c=d'],
  otelEnvVars: [
    ['--otel-env-vars', 'A,B', '--otel-env-vars=C'],
    ['A,B', 'C'],
  ],
  otelTracingEnabled: [['--otel-tracing-enabled=false'], false],
  otelMetricsEnabled: [['--otel-metrics-enabled=false'], false],
  otelSamplingRate: [['--otel-sampling-rate', '0.25'], 0.25],
  otelEnablePrometheusMetricsPath: [['--otel-enable-prometheus-metrics-path'], true],
  otelUseLegacyAttributes: [['--otel-use-legacy-attributes=false'], false],
  remoteForwardHeadersSecret: [['--remote-forward-headers-secret', 'X-C=name'], ['X-C=name']],
};

describe('toRunRequest', () => {
  for (const [field, [argv, value]] of Object.entries(FIELDS)) {
    // SAFETY: the table's keys are the names of the flags.
    it(`sets ${field} by ${typedFlag(field as keyof RunFlags)} and nothing else`, async () => {
      expect(await requestOf([...argv, 'image'])).to.deep.equal({
        target: 'image',
        args: [],
        flags: { [field]: value },
      });
    });
  }

  const lines = [
    {
      title: 'passes all words after -- to the server',
      argv: ['image', '--', '-v', '--', '--help'],
      expected: { args: ['-v', '--', '--help'] },
    },
    { title: 'accepts a trailing -- without words', argv: ['image', '--'], expected: { args: [] } },
    {
      title: 'accepts the target after the flags',
      argv: ['--name', 'a', 'image'],
      expected: { target: 'image', flags: { name: 'a' } },
    },
    {
      title: 'uses the last of two boolean values',
      argv: ['--isolate-network=false', '--isolate-network', 'image'],
      expected: { flags: { isolateNetwork: true } },
    },
    {
      title: 'reads the file of --from-config',
      argv: ['--from-config', 'a.json'],
      expected: { target: undefined, fromConfig: 'a.json' },
    },
  ];
  for (const { title, argv, expected } of lines) {
    it(title, async () => {
      expect(await requestOf(argv)).to.deep.include(expected);
    });
  }

  const faults = [
    { title: 'two words before --', argv: ['one', 'two'], message: 'unexpected argument: two' },
    {
      title: 'a boolean value after a space',
      argv: ['image', '--isolate-network', 'false'],
      message: '--isolate-network false: found a value after a space; expected --isolate-network=false',
    },
    {
      title: 'an invalid boolean value',
      argv: ['image', '--isolate-network=no'],
      message: '--isolate-network: found "no"; expected true or false',
    },
    {
      title: 'a number with letters',
      argv: ['image', '--proxy-port', '80x'],
      message: '--proxy-port: found "80x"; expected a whole number',
    },
    {
      title: 'a duration without a unit',
      argv: ['image', '--session-ttl', '30'],
      message: '--session-ttl: found "30"; expected a duration',
    },
    {
      title: 'a repeated flag with one value',
      argv: ['--name', 'a', '--name', 'b', 'image'],
      message: 'flag --name can only be specified once',
    },
    { title: 'a flag without its value', argv: ['image', '--name'], message: 'flag --name expects a value' },
    { title: 'an unknown short flag', argv: ['image', '-x'], message: 'unknown flag -x' },
  ];
  for (const { title, argv, message } of faults) {
    it(`rejects ${title}`, async () => {
      expect(await faultOf(argv)).to.include({ status: 2, message });
    });
  }
});
