import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Config } from '@oclif/core';
import { flagRow, type FlagType, RUN_FLAG_NAMES, typedFlag } from '@portolan/run-spec';
import { expect } from 'chai';
import { commandLineFault } from '../../../packages/cli/src/command-line/command-line-fault.ts';
import Run from '../../../packages/cli/src/commands/run.ts';
import { describeError } from '../../../packages/cli/src/terminal/report-error.ts';
import { foldersBelow } from '../../support/user-folders.ts';

/** An invalid value of a flag. */
interface BadValue {
  /** Text after `--flag=`. FOLDER is replaced by the folder of the test. */
  readonly value: string;
  /** Further arguments, without which another error would come first. */
  readonly beside?: readonly string[];
  /** Target of the command. */
  readonly target?: string;
  /** Content of the file `FOLDER/bad`. */
  readonly file?: string;
}

const IMAGE = 'acme/everything:1';
const REMOTE = 'https://mcp.acme.example/mcp';
const NO_BOOLEAN: BadValue = { value: 'maybe' };
const MISSING: BadValue = { value: 'FOLDER/missing' };
const OIDC = ['--oidc-issuer=https://id.acme.example'];
const EXCHANGE = ['--token-exchange-url=https://id.acme.example/token'];
const OTEL = ['--otel-endpoint=collector.acme.example:4318'];
const ofRemote = (value: string, ...beside: readonly string[]): BadValue => ({
  value,
  beside,
  target: REMOTE,
});

/** A valid value for remote flags, by the type of the flag. */
const GOOD_VALUES: Readonly<Record<FlagType, string>> = {
  truth: '',
  duration: '=1m',
  integer: '=9000',
  number: '=1',
  text: '=https://id.acme.example',
  texts: '=X-Key=a',
  list: '=a',
};

/** Flags that name what to run, instead of a target. */
const INSTEAD: readonly string[] = ['from-config', 'members', 'member-group'];

/** Invalid values by the name of each flag. */
const BAD: Readonly<Record<string, BadValue | { readonly takesAnything: string }>> = {
  help: NO_BOOLEAN,
  debug: NO_BOOLEAN,
  name: { value: '..' },
  group: { value: 'my group' },
  members: MISSING,
  'member-group': { value: 'My Group' },
  label: { value: 'nokey' },
  env: { value: '1BAD' },
  'env-file': MISSING,
  'env-file-dir': MISSING,
  secret: { value: 'key' },
  volume: { value: 'nowhere' },
  'permission-profile': { value: 'FOLDER/bad', file: '{"network": 7}' },
  'ignore-globally': NO_BOOLEAN,
  'print-resolved-overlays': NO_BOOLEAN,
  publish: { value: 'http' },
  network: { value: 'a b' },
  'isolate-network': NO_BOOLEAN,
  'allow-container-gateway': NO_BOOLEAN,
  'image-verification': { value: 'strict' },
  'ca-cert': { value: 'FOLDER/bad', file: 'hello', target: 'npx://@acme/notes' },
  'runtime-image': { value: 'UPPER CASE', target: 'npx://@acme/notes' },
  'runtime-add-package': { value: 'a b', target: 'npx://@acme/notes' },
  'build-with': { value: '--index-url=x', target: 'uvx://notes' },
  transport: { value: 'carrier-pigeon' },
  'proxy-mode': { value: 'stdio' },
  'proxy-port': { value: '70000' },
  host: { value: 'not a host' },
  'target-host': { value: 'not a host' },
  'target-port': { value: '-1' },
  'target-path': { value: 'tools/mcp' },
  'endpoint-prefix': { value: 'https://acme.example' },
  'session-ttl': { value: '30' },
  'session-store': { value: 'nowhere' },
  'session-store-password': { value: '', beside: ['--session-store=redis://redis.acme.example'] },
  stateless: NO_BOOLEAN,
  'stdio-sessions': { value: 'some' },
  'max-sessions': { value: '0' },
  'translate-eras': NO_BOOLEAN,
  'trust-proxy-headers': NO_BOOLEAN,
  'allowed-origins': { value: 'acme.example/path' },
  tools: { value: '' },
  'tools-override': { value: 'FOLDER/bad', file: '{"toolsOverride": 7}' },
  lock: { value: 'FOLDER/bad', file: 'version: [' },
  drift: { value: 'never' },
  frozen: NO_BOOLEAN,
  start: { value: 'never' },
  'stop-after-idle': { value: '30' },
  'webhook-config': { value: 'FOLDER/bad', file: '{"validating": 7}' },
  'rate-limit-config': { value: 'FOLDER/bad', file: '{"perUser": 7}' },
  'token-exchange-url': { value: 'nowhere', target: REMOTE },
  'token-exchange-audience': ofRemote('', ...EXCHANGE),
  'token-exchange-client-id': ofRemote('', ...EXCHANGE),
  'token-exchange-client-secret': ofRemote('', ...EXCHANGE),
  'token-exchange-client-secret-file': ofRemote(
    'FOLDER/missing',
    ...EXCHANGE,
    '--token-exchange-client-id=a',
  ),
  'token-exchange-header-name': ofRemote('not a header', ...EXCHANGE),
  'token-exchange-scopes': ofRemote('a b', ...EXCHANGE),
  'token-exchange-subject-token-type': ofRemote('saml', ...EXCHANGE),
  'oidc-issuer': { value: 'nowhere' },
  'oidc-audience': { value: '', beside: OIDC },
  'oidc-allowed-client': { value: '', beside: OIDC },
  'oidc-client-id': { value: '', beside: OIDC },
  'oidc-client-secret': { value: '', beside: OIDC },
  'oidc-jwks-url': { value: 'nowhere', beside: OIDC },
  'oidc-introspection-url': { value: 'nowhere', beside: OIDC },
  'oidc-scopes': { value: 'a b', beside: OIDC },
  'oidc-insecure-allow-http': NO_BOOLEAN,
  'jwks-allow-private-ip': NO_BOOLEAN,
  'jwks-auth-token-file': { ...MISSING, beside: OIDC },
  'resource-url': { value: 'nowhere', beside: OIDC },
  'cli-ca-bundle': { value: 'FOLDER/bad', file: 'hello' },
  'authz-config': { value: 'FOLDER/bad', file: '{"version": 7}' },
  'remote-auth': NO_BOOLEAN,
  'remote-credentials': ofRemote('nobody'),
  'remote-auth-issuer': ofRemote('nowhere'),
  'remote-auth-authorize-url': ofRemote('nowhere'),
  'remote-auth-token-url': ofRemote('nowhere'),
  'remote-auth-client-id': ofRemote(''),
  'remote-auth-client-secret': ofRemote('', '--remote-auth-client-id=a'),
  'remote-auth-client-secret-file': ofRemote('FOLDER/missing', '--remote-auth-client-id=a'),
  'remote-auth-bearer-token': ofRemote(''),
  'remote-auth-bearer-token-file': ofRemote('FOLDER/missing'),
  'remote-auth-scopes': ofRemote('a"b'),
  'remote-auth-scope-param-name': ofRemote('a b'),
  'remote-auth-resource': ofRemote('nowhere'),
  'remote-auth-callback-port': ofRemote('70000'),
  'remote-auth-skip-browser': NO_BOOLEAN,
  'remote-auth-timeout': ofRemote('30'),
  'remote-forward-headers': ofRemote('novalue'),
  'remote-forward-headers-secret': ofRemote('novalue'),
  'enable-audit': NO_BOOLEAN,
  'audit-config': { value: 'FOLDER/bad', file: '{"maxDataSize": "much"}' },
  'otel-endpoint': { value: 'not an endpoint' },
  'otel-insecure': NO_BOOLEAN,
  'otel-headers': { value: 'novalue', beside: OTEL },
  'otel-service-name': { takesAnything: 'any text is a name' },
  'otel-custom-attributes': { value: 'novalue', beside: OTEL },
  'otel-env-vars': { value: '1 B', beside: OTEL },
  'otel-tracing-enabled': NO_BOOLEAN,
  'otel-metrics-enabled': NO_BOOLEAN,
  'otel-sampling-rate': { value: '2', beside: OTEL },
  'otel-enable-prometheus-metrics-path': NO_BOOLEAN,
  'otel-use-legacy-attributes': NO_BOOLEAN,
  'from-config': MISSING,
  url: { value: 'ftp://registry.acme.example', target: 'dev.acme/notes' },
  'token-file': {
    ...MISSING,
    target: 'dev.acme/notes',
    beside: ['--url=http://127.0.0.1:9/registry/main'],
  },
  foreground: NO_BOOLEAN,
  replace: NO_BOOLEAN,
  yes: NO_BOOLEAN,
  'detach-early': NO_BOOLEAN,
  'start-timeout': { value: '0' },
  'gateway-image': { value: 'UPPER CASE' },
  trust: NO_BOOLEAN,
  'dry-run': NO_BOOLEAN,
  config: MISSING,
  format: { value: 'xml' },
};

/** Returns the texts between quotation marks, without hints. A single character between them is missing. */
function quotesIn(reason: string): readonly string[] {
  const lines = reason.split('\n').filter((line) => !line.startsWith('hint: '));
  const quotes = lines.join('\n').matchAll(/"((?:[^"\\\n]|\\.)*)"/g);
  return [...quotes].map(([quoted]): string => JSON.parse(quoted)).filter((text) => text.length !== 1);
}

/** The command `run` with its output for people captured in `lines`. */
class TestRun extends Run {
  readonly #lines: string[];

  constructor(words: string[], config: Config, lines: string[]) {
    super(words, config);
    this.#lines = lines;
  }

  protected override tell(lines: readonly string[]): void {
    this.#lines.push(...lines);
  }

  protected override print(_format: string, { warnings }: { readonly warnings: readonly string[] }): void {
    this.#lines.push(...warnings);
  }
}

describe('an invalid value of each run flag', function () {
  this.timeout(60_000);
  const environment = { ...process.env };
  let folder: string;
  let config: Config;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-bad-'));
    await mkdir(path.join(folder, 'run'), { mode: 0o700 });
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const runtimes = { processes: { folder: path.join(folder, 'servers'), programs: { [IMAGE]: ['node'] } } };
    await writeFile(path.join(folder, 'portolan.json'), JSON.stringify({ plugins: [host], runtimes }));
    const own = { PORTOLAN_CONFIG: path.join(folder, 'portolan.json'), PORTOLAN_RUNTIME: 'processes' };
    Object.assign(process.env, foldersBelow(folder), own);
    const root = path.resolve(import.meta.dirname, '../../../packages/cli');
    const { name, version }: { name: string; version: string } = JSON.parse(
      await readFile(path.join(root, 'package.json'), 'utf8'),
    );
    config = await Config.load({ root, pjson: { name, version, oclif: {} }, userPlugins: false });
  });
  after(async () => {
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
    await rm(folder, { recursive: true, force: true });
  });

  async function reasonFor(words: readonly string[]): Promise<string> {
    const lines: string[] = [];
    try {
      await new TestRun([...words], config, lines).run();
    } catch (error) {
      return describeError((await commandLineFault(error)) ?? error, { debug: false });
    }
    return lines.join('\n');
  }

  it('has a test row', () => {
    expect(Object.keys(BAD).toSorted()).to.deep.equal(
      Object.keys({ ...Run.baseFlags, ...Run.flags }).toSorted(),
    );
  });

  for (const name of RUN_FLAG_NAMES.filter((one) => flagRow(one).only === 'remote')) {
    it(`${typedFlag(name)} › is refused for an image with the reason that it is for remote servers`, async () => {
      const value = GOOD_VALUES[flagRow(name).is];
      const reason = await reasonFor([IMAGE, '--dry-run', typedFlag(name) + value]);
      expect(reason).to.include(typedFlag(name)).and.include('remote');
    });
  }

  for (const [flag, row] of Object.entries(BAD)) {
    if ('takesAnything' in row) {
      it(`--${flag} › accepts any value: ${row.takesAnything}`, async () => {
        expect(await reasonFor([IMAGE, ...OTEL, '--dry-run', `--${flag}=a\nb`])).not.to.include(flag);
      });
      continue;
    }
    it(`--${flag} › is named in the error together with the value`, async () => {
      const { value, beside = [], target = IMAGE, file = '' } = row;
      await writeFile(path.join(folder, 'bad'), file);
      const given = `--${flag}=${value.replaceAll('FOLDER', folder)}`;
      const words = [...(INSTEAD.includes(flag) ? [] : [target]), ...beside, '--dry-run', given];
      const reason = await reasonFor(words);
      expect(reason).to.include(`--${flag}`);
      const typed = [...words, file].join('\n');
      for (const quoted of quotesIn(reason)) expect(typed).to.include(quoted);
    });
  }
});
