import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import {
  eventually,
  startTestIssuer,
  type TestIssuer,
  type TestIssuerOptions,
} from '@portolan/plugin-testing';
import { expect } from 'chai';
import { EVERYTHING } from '../../../packages/proxy/test/support/everything.ts';
import { type Answer, send } from '../../../packages/proxy/test/support/http-client.ts';
import { initialize, McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import { listenOnLoopback } from '../../support/listen-on-loopback.ts';
import { giveSecretStore } from '../../support/own-secrets.ts';
import { filesOfWorkloads, foldersBelow, endWorkloads } from '../../support/user-folders.ts';

const IMAGE = 'acme/everything:1';
const WELL_KNOWN = '/.well-known/oauth-protected-resource';
const PING = { id: 2, method: 'ping' };

describe('portolan run --oidc-issuer and related flags', function () {
  this.timeout(120_000);
  let root: string;
  let environment: Readonly<Record<string, string>>;
  let issuers: TestIssuer[];

  beforeEach(async () => {
    issuers = [];
    root = await mkdtemp(path.join(tmpdir(), 'portolan-oidc-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = { [IMAGE]: [process.execPath, EVERYTHING] };
    const config = {
      plugins: [host],
      runtimes: { processes: { folder: path.join(root, 'servers'), programs } },
    };
    const file = path.join(root, 'portolan.json');
    await writeFile(file, JSON.stringify(config));
    environment = {
      ...foldersBelow(root),
      PORTOLAN_CONFIG: file,
      PORTOLAN_RUNTIME: 'processes',
      PORTOLAN_SECRETS_PASSWORD: 'swordfish',
    };
  });
  afterEach(async () => {
    await endWorkloads(root, environment);
    for (const issuer of issuers) await issuer.close();
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });

  async function startIssuer(options: TestIssuerOptions = {}): Promise<TestIssuer> {
    const issuer = await startTestIssuer({ algorithm: 'ES256', ...options });
    issuers.push(issuer);
    return issuer;
  }

  const argumentsFor = (name: string, transport: string, flags: readonly string[]): readonly string[] => [
    '--isolate-network=false',
    `--name=${name}`,
    `--transport=${transport}`,
    ...flags,
    IMAGE,
    '--',
    transport === 'stdio' ? 'stdio' : 'streamableHttp',
  ];

  /** URL of the workload. */
  async function run(name: string, transport: string, ...flags: readonly string[]): Promise<URL> {
    const started = await portolan('run', ...argumentsFor(name, transport, flags));
    expect(started.status, started.stderr).to.equal(0);
    return new URL(started.stdout.trim());
  }

  const bearer = (token: string): Readonly<Record<string, string>> => ({ Authorization: `Bearer ${token}` });

  async function open(url: URL, token: string): Promise<{ client: McpClient; begun: Answer }> {
    const begun = await new McpClient(url).post(initialize(), { headers: bearer(token) });
    return { client: new McpClient(url, String(begun.headers['mcp-session-id'] ?? '')), begun };
  }

  const statusOf = async (url: URL, token: string): Promise<number> => (await open(url, token)).begun.status;

  /** Expects that no credential of a caller is in a file of the user. */
  async function expectNowhere(...secrets: readonly string[]): Promise<void> {
    const { stdout: inspected } = await portolan('inspect', 'guarded');
    const { stdout: log } = await portolan('logs', 'guarded', '--proxy');
    for (const secret of secrets) expect(inspected + log).not.to.include(secret);
  }

  const transports: readonly { readonly transport: string; readonly remote: boolean }[] = [
    { transport: 'stdio', remote: false },
    { transport: 'streamable-http', remote: false },
    { transport: 'streamable-http', remote: true },
  ];
  for (const { transport, remote } of transports) {
    it(`accepts valid tokens, and gives each caller separate sessions: ${remote ? 'a remote' : transport}`, async () => {
      const issuer = await startIssuer({ audience: 'weather' });
      const flags = [
        `--oidc-issuer=${issuer.issuerUrl}`,
        '--oidc-audience=weather',
        '--jwks-allow-private-ip',
        '--oidc-scopes=weather.read, weather.write',
      ];
      let url: URL;
      if (remote) {
        const far = await run('far', transport);
        const started = await portolan('run', '--name=guarded', ...flags, far.href);
        expect(started.status, started.stderr).to.equal(0);
        url = new URL(started.stdout.trim());
      } else url = await run('guarded', transport, ...flags);

      const refused = await new McpClient(url).post(initialize());
      expect(refused.status).to.equal(401);
      const metadata = `${url.origin}${WELL_KNOWN}${url.pathname}`;
      expect(refused.headers['www-authenticate']).to.equal(
        `Bearer realm="${issuer.issuerUrl}", scope="weather.read weather.write", resource_metadata="${metadata}"`,
      );
      expect((await send(metadata)).json).to.deep.equal({
        resource: url.href,
        authorization_servers: [issuer.issuerUrl],
        bearer_methods_supported: ['header'],
        scopes_supported: ['weather.read', 'weather.write'],
      });
      const expired = issuer.sign({ exp: Math.floor(Date.now() / 1000) - 61 });
      for (const bad of [expired, issuer.sign({ aud: 'shop' }), issuer.sign({}, { algorithm: 'HS256' })]) {
        expect(await statusOf(url, bad)).to.equal(401);
      }

      const ada = issuer.sign({ sub: 'ada' });
      const { client, begun } = await open(url, ada);
      expect(begun.status, begun.text).to.equal(200);
      expect((await client.post(PING, { headers: bearer(ada) })).status).to.equal(200);
      const bob = issuer.sign({ sub: 'bob' });
      expect((await client.post(PING, { headers: bearer(bob) })).status).to.equal(404);
      expect((await client.post(PING)).status).to.equal(401);
      // Another token of the same person is accepted.
      const later = issuer.sign({ sub: 'ada', jti: 'later' });
      expect((await client.post(PING, { headers: bearer(later) })).status).to.equal(200);

      const { stdout } = await portolan('status', 'guarded', '--format=json');
      expect(JSON.parse(stdout).protections).to.deep.equal(['who may call it']);
      await expectNowhere(ada, bob, expired);
      const restarted = await portolan('restart', 'guarded');
      expect(restarted.status, restarted.stderr).to.equal(0);
      expect([await statusOf(url, ada), (await new McpClient(url).post(initialize())).status]).to.deep.equal([
        200, 401,
      ]);
    });
  }

  it('accepts opaque tokens by introspection, with a stored client secret', async () => {
    const issuer = await startIssuer();
    await giveSecretStore(root, 'swordfish');
    const url = await run(
      'guarded',
      'stdio',
      `--oidc-introspection-url=${issuer.introspectionUrl}`,
      '--oidc-audience=portolan',
      '--oidc-client-id=proxy',
      '--oidc-client-secret=hunter2',
      '--jwks-allow-private-ip',
      '--otel-endpoint=http://127.0.0.1:9',
      '--otel-headers=X-Key=hunter3',
    );
    const token = issuer.issueOpaque({ sub: 'ada' });
    expect(await statusOf(url, token)).to.equal(200);
    const [asked] = issuer.requests;
    expect(asked?.authorization).to.equal(`Basic ${Buffer.from('proxy:hunter2').toString('base64')}`);
    expect(await statusOf(url, issuer.issueOpaque({ aud: 'shop' }))).to.equal(401);
    // The proxy does not know where to get a token.
    const refused = await new McpClient(url).post(initialize());
    expect([refused.status, refused.headers['www-authenticate']]).to.deep.equal([401, 'Bearer']);
    expect((await send(url.origin + WELL_KNOWN)).status).to.equal(404);
    await expectNowhere('hunter2', token);
    const exported = path.join(root, 'exported.json');
    const names = ['OIDC_CLIENT_SECRET_guarded', 'OTLP_HEADER_X_KEY_guarded'];
    expect((await portolan('export', 'guarded', exported)).stderr).to.include(
      `These secrets belong to guarded, and \`portolan rm\` removes them with it: ${names.join(', ')}.`,
    );
    expect(JSON.parse(await readFile(exported, 'utf8')).oidc_config).to.deep.include({
      IntrospectionURL: issuer.introspectionUrl,
      ClientID: 'proxy',
      ClientSecret: 'OIDC_CLIENT_SECRET_guarded,target=oidc_client_secret',
      AllowPrivateIP: true,
    });
    const changed = await portolan('change', 'guarded', '--oidc-client-secret=hunter4');
    expect(changed.status, changed.stderr).to.equal(0);
    expect(changed.stderr).to.include('oidc_config.ClientSecret').and.not.include('hunter4');
    expect(await statusOf(url, issuer.issueOpaque({ sub: 'eve' }))).to.equal(200);
    expect(issuer.requests.at(-1)?.authorization).to.equal(
      `Basic ${Buffer.from('proxy:hunter4').toString('base64')}`,
    );
    const own = { cwd: root, env: environment, stdin: 'hunter5' };
    const set = await runPortolan(['secret', 'set', 'OIDC_CLIENT_SECRET_guarded'], own);
    expect(set.stderr).to.include('uses the value that it got from a flag, not this one');
    await portolan('secret', 'delete', 'OIDC_CLIENT_SECRET_guarded');
    await portolan('rm', 'guarded');
    const again = await runPortolan(['run', '--from-config', exported], {
      cwd: root,
      env: { ...environment, TOOLHIVE_OIDC_CLIENT_SECRET: 'of no use' },
    });
    expect(again.status, again.stderr).to.equal(1);
    for (const name of names) expect(again.stderr).to.include(`\`portolan secret set ${name}\``);

    for (const name of names) {
      const stored = await runPortolan(['secret', 'set', name], {
        cwd: root,
        env: environment,
        stdin: 'hunter2',
      });
      expect(stored.status, stored.stderr).to.equal(0);
    }
    const third = await portolan('run', '--from-config', exported);
    expect(third.status, third.stderr).to.equal(0);
  });

  it('reads the client secret from the environment, and from a file of other tools', async () => {
    const issuer = await startIssuer();
    await giveSecretStore(root, 'swordfish');
    const file = path.join(root, 'theirs.json');
    const theirs = {
      image: IMAGE,
      name: 'guarded',
      transport: 'stdio',
      cmd_args: ['stdio'],
      isolate_network: false,
      oidc_config: {
        issuer: issuer.issuerUrl,
        audience: 'portolan',
        clientid: 'proxy',
        allowprivateip: true,
        resourceurl: 'https://mcp.acme.example/weather',
      },
      middleware_configs: [{ type: 'auth', parameters: { oidc_config: { Issuer: issuer.issuerUrl } } }],
    };
    await writeFile(file, JSON.stringify(theirs));
    const started = await runPortolan(['run', '--trust', '--from-config', file], {
      cwd: root,
      env: { ...environment, TOOLHIVE_OIDC_CLIENT_SECRET: 'hunter2' },
    });
    expect(started.status, started.stderr).to.equal(0);
    const url = new URL(started.stdout.trim());
    expect(await statusOf(url, issuer.issueOpaque())).to.equal(200);
    const asked = issuer.requests.find(({ endpoint }) => endpoint === 'introspection');
    expect(asked?.authorization).to.equal(`Basic ${Buffer.from('proxy:hunter2').toString('base64')}`);
    expect((await send(`${url.origin}${WELL_KNOWN}/weather`)).json.resource).to.equal(
      'https://mcp.acme.example/weather',
    );
    await expectNowhere('hunter2');
  });

  it('accepts tokens for the resource URL, and serves its metadata', async () => {
    const resource = 'https://mcp.acme.example/weather';
    const issuer = await startIssuer({ audience: resource });
    const url = await run(
      'guarded',
      'streamable-http',
      `--oidc-jwks-url=${issuer.jwksUrl}`,
      `--resource-url=${resource}`,
      '--jwks-allow-private-ip',
    );
    const headers = {
      ...bearer(issuer.sign()),
      Host: 'mcp.acme.example',
      Origin: 'https://mcp.acme.example',
    };
    const named = await new McpClient(url).post(initialize(), { headers });
    expect(named.status, named.text).to.equal(200);
    expect(named.headers['access-control-allow-origin']).to.equal('https://mcp.acme.example');
    const stranger = await new McpClient(url).post(initialize(), {
      headers: { ...headers, Host: 'evil.example' },
    });
    expect(stranger.status).to.equal(403);
    expect(await statusOf(url, issuer.sign({ aud: 'https://mcp.acme.example/other' }))).to.equal(401);
    expect(issuer.count('discovery')).to.equal(0);
  });

  it('uses --cli-ca-bundle and --jwks-auth-token-file, also after a restart', async () => {
    const certificate = await makeCertificate(root, ['localhost']);
    const issuer = await startIssuer({
      tls: { cert: certificate.cert.toString(), key: certificate.key.toString() },
    });
    await writeFile(path.join(root, 'token'), 'of-the-file\n');
    const flags = [
      `--oidc-issuer=${issuer.issuerUrl}`,
      '--oidc-audience=portolan',
      '--jwks-allow-private-ip',
    ];
    const distrusting = await run('plain', 'stdio', ...flags);
    expect(await statusOf(distrusting, issuer.sign())).to.equal(503);
    const trusting = ['--cli-ca-bundle=certificate.pem', '--jwks-auth-token-file=token'];
    const url = await run('guarded', 'stdio', ...flags, ...trusting);
    expect(await statusOf(url, issuer.sign())).to.equal(200);
    expect(issuer.requests.map(({ authorization }) => authorization)).to.deep.equal([
      'Bearer of-the-file',
      'Bearer of-the-file',
    ]);
    expect((await portolan('restart', 'guarded')).status).to.equal(0);
    expect(await statusOf(url, issuer.sign())).to.equal(200);
    await rm(certificate.file);
    const gone = await portolan('restart', 'guarded');
    expect([gone.status, gone.stderr.includes(certificate.file)]).to.deep.equal([2, true]);
    await expectNowhere('of-the-file');
  });

  it('starts while the issuer is down, refuses callers until it is back, and accepts new keys', async () => {
    const issuer = await startIssuer();
    issuer.takeDown();
    const url = await run(
      'guarded',
      'stdio',
      `--oidc-issuer=${issuer.issuerUrl}`,
      '--oidc-audience=portolan',
      '--jwks-allow-private-ip',
    );
    const token = issuer.sign();
    const down = await open(url, token);
    expect([down.begun.status, down.begun.json.error]).to.deep.equal([503, 'temporarily_unavailable']);
    expect(down.begun.headers['retry-after']).to.match(/^\d+$/);
    issuer.bringUp();
    await eventually(async () => expect(await statusOf(url, token)).to.equal(200));
    issuer.takeDown();
    expect(await statusOf(url, issuer.sign({ sub: 'bob' }))).to.equal(200);
    issuer.bringUp();
    await issuer.rotateKeys();
    expect(await statusOf(url, issuer.sign({ sub: 'carol' }))).to.equal(200);
    expect(await statusOf(url, token)).to.equal(401);
  });

  it('fetches keys over http from another host only with permission, and survives an endpoint that never responds', async () => {
    const issuer = await startIssuer();
    const { port } = new URL(issuer.issuerUrl);
    // Address of this machine outside 127.0.0.0/8.
    const flags = [`--oidc-jwks-url=http://0.0.0.0:${port}/jwks`, '--oidc-audience=portolan'];
    const refused = await portolan(
      'run',
      ...argumentsFor('guarded', 'stdio', [...flags, '--jwks-allow-private-ip']),
    );
    expect(refused.status, refused.stderr).to.equal(2);
    // The time counts from the start, when the first request fetches the keys. No test waits there.
    issuer.setDelay(3_600_000);
    const url = await run(
      'guarded',
      'stdio',
      ...flags,
      '--jwks-allow-private-ip',
      '--oidc-insecure-allow-http',
    );
    await eventually(async () => expect(issuer.count('jwks')).to.equal(1));
    expect(await statusOf(url, issuer.sign())).to.equal(503);
    issuer.setDelay(0);
    await eventually(async () => expect(await statusOf(url, issuer.sign())).to.equal(200), {
      withinMs: 30_000,
    });
  });

  it('with a policy and no authentication › treats every caller as the local user, logs that once, and passes credentials on', async () => {
    const url = await run('guarded', 'streamable-http', '--tools=echo');
    const { client, begun } = await open(url, 'of the server itself');
    expect(begun.status, begun.text).to.equal(200);
    // A session belongs to one caller only.
    expect((await client.post(PING, { headers: bearer('another') })).status).to.equal(200);
    expect((await send(url.origin + WELL_KNOWN)).status).to.equal(404);
    const { stdout } = await portolan('logs', 'guarded', '--proxy');
    expect(stdout.match(/counts as the local user/g)).to.have.lengthOf(1);
    const { stdout: shown } = await portolan('status', 'guarded', '--format=json');
    expect(JSON.parse(shown).protections).to.deep.equal(['which tools clients see']);
  });

  const faults: readonly {
    readonly title: string;
    readonly flags: readonly string[];
    readonly says: RegExp;
  }[] = [
    {
      title: 'an audience without an issuer',
      flags: ['--oidc-audience=weather'],
      says: /--oidc-audience: .*expected an issuer/,
    },
    {
      title: 'scopes without an issuer',
      flags: ['--oidc-scopes=a'],
      says: /--oidc-scopes .*--oidc-issuer/,
    },
    {
      title: 'an empty issuer',
      flags: ['--oidc-issuer='],
      says: /--oidc-issuer: found "".*expected a value/,
    },
    {
      title: 'an http issuer',
      flags: ['--oidc-issuer=http://id.acme.example'],
      says: /--oidc-issuer: found .*http address.*expected an https address/,
    },
    {
      title: 'an http address of keys',
      flags: ['--oidc-jwks-url=http://id.acme.example/keys'],
      says: /--oidc-jwks-url: .*expected an https address/,
    },
    {
      title: 'http introspection',
      flags: ['--oidc-introspection-url=http://id.acme.example/i'],
      says: /--oidc-introspection-url: .*expected an https address/,
    },
    {
      title: 'an issuer on this host without permission',
      flags: ['--oidc-issuer=https://127.0.0.1:8443'],
      says: /--oidc-issuer: .*expected a public address.*--jwks-allow-private-ip/,
    },
    {
      title: 'http on a private address with permission for http only',
      flags: ['--oidc-issuer=http://10.1.2.3', '--oidc-insecure-allow-http'],
      says: /--oidc-issuer: .*expected a public address/,
    },
    {
      title: 'a client secret without a client ID',
      flags: ['--oidc-issuer=https://id.acme.example', '--oidc-client-secret=hunter2'],
      says: /--oidc-client-secret: .*expected a client/,
    },
    {
      title: 'a resource with a query',
      flags: ['--resource-url=https://mcp.acme.example/?a=b'],
      says: /--resource-url: .*expected an https or http address/,
    },
    {
      title: 'a missing certificate file',
      flags: ['--cli-ca-bundle=nowhere.pem'],
      says: /nowhere\.pem/,
    },
    {
      title: 'a file without certificates',
      flags: ['--cli-ca-bundle=portolan.json'],
      says: /portolan\.json/,
    },
    {
      title: 'a missing token file',
      flags: ['--oidc-issuer=https://id.acme.example', '--jwks-auth-token-file=nowhere'],
      says: /token file .*nowhere/,
    },
  ];
  for (const { title, flags, says } of faults) {
    it(`refuses ${title} before anything runs`, async () => {
      const { status, stdout, stderr } = await portolan('run', ...argumentsFor('guarded', 'stdio', flags));
      expect({ status, stdout }).to.deep.equal({ status: 2, stdout: '' });
      expect(stderr.replaceAll(/\s+/g, ' ')).to.match(says).and.not.to.include('hunter2');
      expect(await filesOfWorkloads(root)).to.deep.equal([]);
    });
  }

  it('plan › shows each setting with its origin, and the name of the secret', async () => {
    const { status, stdout, stderr } = await portolan(
      'run',
      '--dry-run',
      '--format=json',
      ...argumentsFor('guarded', 'stdio', [
        '--oidc-issuer=https://id.acme.example',
        '--oidc-audience=weather',
        '--oidc-client-id=proxy',
        '--oidc-client-secret=hunter2',
        '--oidc-scopes=a,b',
      ]),
    );
    expect(status, stderr).to.equal(0);
    const plan: { settings: readonly { setting: string }[]; protections: readonly string[] } =
      JSON.parse(stdout);
    expect(plan.protections).to.deep.equal(['who may call it']);
    expect(plan.settings.filter(({ setting }) => setting.startsWith('oidc_config'))).to.deep.equal([
      {
        setting: 'oidc_config.Issuer',
        value: 'https://id.acme.example',
        from: 'flag',
        author: 'user',
        by: '--oidc-issuer',
      },
      {
        setting: 'oidc_config.Audience',
        value: 'weather',
        from: 'flag',
        author: 'user',
        by: '--oidc-audience',
      },
      {
        setting: 'oidc_config.ClientID',
        value: 'proxy',
        from: 'flag',
        author: 'user',
        by: '--oidc-client-id',
      },
      { setting: 'oidc_config.Scopes', value: ['a', 'b'], from: 'flag', author: 'user', by: '--oidc-scopes' },
      {
        setting: 'oidc_config.ClientSecret',
        value: 'OIDC_CLIENT_SECRET_guarded,target=oidc_client_secret',
        from: 'flag',
        author: 'user',
        by: '--oidc-client-secret',
      },
    ]);
    expect(stdout + stderr).not.to.include('hunter2');
  });

  it('refuses an issuer whose metadata contains {tenantid} anywhere (codex 38973)', async () => {
    const provider = createServer((_request, response) => {
      const origin = `http://127.0.0.1:${port}`;
      const issuer = 'https://login.microsoftonline.com/{tenantid}/v2.0';
      response.end(JSON.stringify({ issuer, jwks_uri: `${origin}/keys` }));
    });
    const port = await listenOnLoopback(provider);
    try {
      const issuer = `http://127.0.0.1:${port}/any-path`;
      const flags = [
        `--oidc-issuer=${issuer}`,
        '--oidc-audience=web',
        '--jwks-allow-private-ip',
        '--oidc-insecure-allow-http',
      ];
      const words = argumentsFor('guarded', 'stdio', flags);
      for (const command of ['plan', 'run']) {
        const { status, stderr } = await portolan(command, ...words);
        expect([command, status], stderr).to.deep.equal([command, 2]);
        expect(stderr).to.include('--oidc-issuer').and.include('{tenantid}').and.include('name the tenant');
      }
      expect((await portolan('list', '--all', '--quiet')).stdout).to.equal('');

      const oauth = {
        resourceUrl: 'http://127.0.0.1:9',
        providers: [{ name: 'a', issuerUrl: issuer, audience: 'web' }],
      };
      const file = path.join(root, 'registry.json');
      const sources = [{ name: 'notes', file: { path: 'none.json' }, syncPolicy: { interval: '5m' } }];
      await writeFile(
        file,
        JSON.stringify({
          auth: { mode: 'oauth', oauth },
          sources,
          registries: [{ name: 'main', sources: ['notes'] }],
        }),
      );
      const checked = await portolan('config', 'check', '--config', file);
      expect(checked.status, checked.stdout).to.equal(2);
      expect(checked.stderr).to.include('auth.oauth.providers[0].issuerUrl').and.include('name the tenant');
    } finally {
      provider.close();
    }
  });
});
