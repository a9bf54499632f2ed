import { isPortolanError, type JsonObject } from '@portolan/plugin-api';
import fc from 'fast-check';
import { RUN_CONFIG_RULES } from '../../../../packages/run-spec/src/consent/run-config-rules.ts';
import { readServerSettings } from '../../../../packages/run-spec/src/registry-entry/read-server-settings.ts';
import { parseRunConfig } from '../../../../packages/run-spec/src/run-config/parse-run-config.ts';
import { ENTRY_FIELDS } from '../../../../packages/run-spec/src/registry-entry/entry-fields.ts';
import { documentPath, DOCUMENTS, withField } from '../entry-field-rows.ts';

/** Contents of a user's file, secret and variable. Nothing else contains them. */
export const CANARIES = {
  file: 'canary-of-a-file',
  secret: 'canary-of-a-secret',
  variable: 'canary-of-a-variable',
} as const;

const PATHS = ['~/.ssh/id', '~/.ssh', '~', './notes', './notes/a.txt', './link', '/proc', '/etc/hostname'];
const ADDRESSES = [
  'https://mcp.evil.example/mcp',
  'http://mcp.evil.example/mcp',
  'https://inside.evil.example/mcp',
  'https://loop.evil.example',
  'https://cloud.evil.example',
  'http://10.9.8.7/x',
  'http://127.0.0.1:9/mcp',
  'http://169.254.169.254/latest',
  'http://[fe80::1]/',
  'redis://10.9.8.7:6379',
];
const NAMES = [
  'MINE',
  'MINE,target=KEY',
  'OAUTH_REFRESH_TOKEN_other',
  '__portolan_builds_x',
  'AWS_SECRET_ACCESS_KEY',
];
const HOSTS = [
  '0.0.0.0',
  '127.0.0.1',
  'localhost',
  '10.9.8.7',
  'inside.evil.example',
  'host',
  'none',
  'other',
];
const TARGETS = ['npx://@evil/x@1.0.0', 'go://./notes', 'go://~/.ssh', 'evil/x:1', '10.9.8.7:5000/x:1'];
const WORDS = [
  '',
  'x',
  'disabled',
  'fail',
  'http',
  'cedarv1',
  '${HOME}',
  '$(touch x)',
  '1h',
  'sse',
  '8080:80',
];
const MOUNTS = PATHS.flatMap((path) => [`${path}:/x`, `${path}:/x:ro`]);

const text = fc.oneof(
  fc.constantFrom(...PATHS, ...ADDRESSES, ...NAMES, ...HOSTS, ...TARGETS, ...WORDS, ...MOUNTS),
  fc.string({ maxLength: 12 }),
);
const number = fc.oneof(fc.constantFrom(0, 1, 80, 8080, 8666, 65_535), fc.integer());
const scalar = fc.oneof({ weight: 6, arbitrary: text }, number, fc.boolean());
const value = fc.oneof(
  { weight: 8, arbitrary: scalar },
  fc.array(text, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('a', 'X-Key', 'url', 'type'), text, { maxKeys: 2 }),
);

/** Picks a value that fits the name of a field more often than not. */
function valueFor(path: string): fc.Arbitrary<unknown> {
  const name = path.split('.').findLast((part) => part !== '*') ?? '';
  const fitting = [
    { names: /url|issuer|endpoint|address/i, values: ADDRESSES },
    { names: /file|path|folder|dir$|cert|bundle/i, values: PATHS },
    { names: /^(?:read|write|volumes)$/, values: MOUNTS },
    { names: /secret|password|token$|environmentVariables/i, values: NAMES },
    { names: /host|mode|network/, values: HOSTS },
    { names: /target|image|identifier/, values: TARGETS },
  ].find(({ names }) => names.test(name));
  const isSwitch =
    /^(?:is|allow|detect|fail|compat|tracing|metrics|use|enable|insecure|privileged|skip|use|trust|strict|stateless|debug|Load|include)/i.test(
      name,
    );
  if (isSwitch) return fc.oneof({ weight: 12, arbitrary: fc.boolean() }, value);
  if (/port|timeout|max|size|ttl/i.test(name)) return fc.oneof({ weight: 12, arbitrary: number }, value);
  return fitting === undefined
    ? value
    : fc.oneof({ weight: 12, arbitrary: fc.constantFrom(...fitting.values) }, value);
}

/** A change of one field. */
type Change = readonly [path: string, value: unknown];

const changes = (paths: readonly string[]): fc.Arbitrary<readonly Change[]> =>
  fc.array(
    fc.constantFrom(...paths).chain((path) => valueFor(path).map((one): Change => [path, one])),
    { minLength: 1, maxLength: 5 },
  );

const BASES: readonly JsonObject[] = [
  { image: 'evil/x:1', transport: 'stdio', isolate_network: true },
  { image: 'evil/x:1', transport: 'streamable-http', target_port: 8080, isolate_network: true },
  { remote_url: 'https://mcp.evil.example/mcp', transport: 'streamable-http' },
  { run_target: 'npx://@evil/x@1.0.0', transport: 'stdio', isolate_network: true },
];

/** Further fields that a field needs, so that the reader accepts the rest. */
const NEEDED: Readonly<Record<string, unknown>> = {
  oidc_config: { Issuer: 'https://id.evil.example', Audience: 'a' },
  token_exchange_config: { token_url: 'https://id.evil.example/token' },
  telemetry_config: { endpoint: 'https://collector.evil.example', samplingRate: '1' },
  audit_config: { component: 'c' },
  authz_config: { version: '1.0', type: 'httpv1', pdp: { http: { url: 'https://pdp.evil.example' } } },
  rate_limit_config: { global: { maxTokens: 1, refillPeriod: '1h' } },
  validating_webhooks: [{ name: 'w', url: 'https://hook.evil.example', failure_policy: 'fail' }],
  mutating_webhooks: [{ name: 'w', url: 'https://hook.evil.example', failure_policy: 'fail' }],
};

const MAPS =
  /^(?:env_vars|container_labels|header_forward\.\w+|runtime_config\.runtime_env|remote_auth_config\.(?:oauth_params|headers|env_vars)|rate_limit_config\.(?:tools|methods))\.\*/;

/** Returns a run config of a stranger in which some fields have random values. */
export const randomFile: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.constantFrom(...BASES), changes(Object.keys(RUN_CONFIG_RULES)))
  .map(([base, made]) => {
    let config: unknown = { name: 'stranger', ...base };
    for (const [path, field] of made) {
      const [top = ''] = path.split('.');
      const parts = (MAPS.test(path) ? path.replace('*', 'X-Key') : path).split('.');
      const whole = Object.hasOwn(NEEDED, top) ? withField(config, [top], NEEDED[top]) : config;
      config = withField(whole, parts, field);
    }
    // SAFETY: a changed member does not change the type of the object.
    return config as JsonObject;
  })
  .filter((config) =>
    isReadable(() =>
      parseRunConfig(JSON.stringify(config), 'stranger.json', { workingDirectory: '/', home: '/' }),
    ),
  );

/** Returns a registry entry of a stranger in which some fields have random values. */
export const randomEntry: fc.Arbitrary<JsonObject> = fc
  .tuple(fc.constantFrom(...DOCUMENTS), changes(Object.keys(ENTRY_FIELDS)))
  .map(([document, made]) => {
    let entry: unknown = document;
    for (const [path, field] of made) {
      if (['name', '$schema'].includes(path)) continue; // The registry knows the entry by these fields.
      entry = withField(entry, documentPath(path), field);
    }
    // SAFETY: a changed member does not change the type of the object.
    return entry as JsonObject;
  })
  .filter((entry) => isReadable(() => readServerSettings(entry)));

/** A document that the reader rejects opens nothing. Few random documents are accepted. */
function isReadable(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (error) {
    if (isPortolanError(error)) return false;
    throw error;
  }
}
