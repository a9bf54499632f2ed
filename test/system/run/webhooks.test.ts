import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createHmac } from 'node:crypto';
import { tmpdir, userInfo } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { EVERYTHING } from '../../../packages/proxy/test/support/everything.ts';
import { initialize, McpClient } from '../../../packages/proxy/test/support/mcp-client.ts';
import {
  allow,
  openWebhookServer,
  type WebhookServer,
} from '../../../plugins/proxy-webhooks/test/webhook-server.ts';
import { makeCertificate } from '../../support/certificate.ts';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import { foldersBelow, endWorkloads } from '../../support/user-folders.ts';

const IMAGE = 'acme/everything:1';

describe('portolan run --webhook-config', function () {
  this.timeout(120_000);
  let root: string;
  let environment: Readonly<Record<string, string>>;
  let server: WebhookServer;
  let flags: readonly string[];

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-webhooks-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = { [IMAGE]: [process.execPath, EVERYTHING] };
    const config = {
      plugins: [host],
      runtimes: { processes: { folder: path.join(root, 'servers'), programs } },
    };
    const file = path.join(root, 'portolan.json');
    await writeFile(file, JSON.stringify(config));
    environment = { ...foldersBelow(root), PORTOLAN_CONFIG: file, PORTOLAN_RUNTIME: 'processes' };
    const { cert, key } = await makeCertificate(root, ['localhost']);
    server = await openWebhookServer({ cert, key });
    server.answer = (question, response) => {
      const { method, params }: { method: string; params?: { arguments?: { message?: string } } } =
        question.mcp_request;
      const said = params?.arguments?.message;
      if (method === 'tools/call' && said === 'forbidden')
        allow({ allowed: false, message: 'hush' })(question, response);
      else if (said !== 'secret') allow()(question, response);
      else {
        const patch = [{ op: 'replace', path: '/mcp_request/params/arguments/message', value: 'redacted' }];
        allow({ patch_type: 'json_patch', patch })(question, response);
      }
    };
    const { port } = new URL(server.url);
    const ask = `https://localhost:${port}/ask`;
    await writeFile(path.join(root, 'key'), 'hunter2\n');
    await writeFile(
      path.join(root, 'hooks.yaml'),
      `validating:
  - { name: window, url: "https://127.0.0.1:1/", failure_policy: fail }
mutating:
  - name: redact
    url: ${ask}
    failure_policy: fail
    timeout: 5s
    tls_config: { ca_bundle_path: certificate.pem }
`,
    );
    const window = {
      name: 'window',
      url: ask,
      failure_policy: 'fail',
      hmac_secret_ref: path.join(root, 'key'),
      tls_config: { ca_bundle_path: 'certificate.pem' },
    };
    await writeFile(path.join(root, 'more.json'), JSON.stringify({ validating: [window] }));
    flags = ['--webhook-config', 'hooks.yaml', '--webhook-config=more.json'];
  });
  afterEach(async () => {
    await endWorkloads(root, environment);
    await server.close();
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });

  const run = (name: string, transport: string, ...more: readonly string[]): Promise<Finished> =>
    portolan(
      'run',
      '--isolate-network=false',
      `--name=${name}`,
      `--transport=${transport}`,
      ...more,
      IMAGE,
      '--',
      transport === 'stdio' ? 'stdio' : 'streamableHttp',
    );

  async function expectWebhooks(started: Finished): Promise<void> {
    expect(started.status, started.stderr).to.equal(0);
    const client = await McpClient.connect(new URL(started.stdout.trim()));
    const echo = async (message: string) =>
      await client.post({ id: 1, method: 'tools/call', params: { name: 'echo', arguments: { message } } });
    expect((await echo('ahoy')).text).to.include('ahoy');
    expect((await echo('secret')).text)
      .to.include('redacted')
      .and.not.to.include('secret');
    const { status, json, text } = await echo('forbidden');
    expect([status, json.error]).to.deep.equal([
      200,
      { code: 403, message: 'Request denied by webhook policy' },
    ]);
    expect(text).not.to.include('hush');
    await client.end();
    const signed = server.received.filter(({ headers }) => headers['x-portolan-signature'] !== undefined);
    expect(
      signed.map(({ body }) => JSON.parse(body).mcp_request.params?.arguments?.message),
    ).to.include.members(['ahoy', 'redacted']);
    // The workload needs no login: the caller is the user of this machine.
    const askers = new Set(server.received.map(({ body }) => JSON.parse(body).principal?.sub));
    expect([...askers]).to.deep.equal([userInfo().username]);
  }

  it('applies to a stdio server, after a restart, and with an export', async () => {
    const planned = await portolan('plan', '--format', 'json', '--transport=stdio', ...flags, IMAGE);
    expect(planned.status, planned.stderr).to.equal(0);
    const settings: readonly { setting: string; value: readonly object[] }[] = JSON.parse(
      planned.stdout,
    ).settings;
    const validating = settings.find(({ setting }) => setting === 'validating_webhooks')?.value;
    expect(validating)
      .to.have.length(1)
      .and.have.nested.property('[0].tls_config.ca_bundle_path', path.join(root, 'certificate.pem'));

    const started = await run('near', 'stdio', ...flags);
    await expectWebhooks(started);
    expect((await portolan('restart', 'near')).status).to.equal(0);
    await expectWebhooks(started);
    const { stdout } = await portolan('status', 'near');
    expect(stdout).to.include('what is changed in a call').and.include('what is asked before a call');

    const exported = path.join(root, 'exported.json');
    await portolan('export', 'near', exported);
    const { mutating_webhooks: mutating } = JSON.parse(await readFile(exported, 'utf8'));
    expect(mutating).to.have.nested.property('[0].timeout', 5e9);
    await portolan('rm', 'near');
    await expectWebhooks(await portolan('run', '--from-config', exported));
  });

  it('applies to an HTTP server and to a remote', async () => {
    await expectWebhooks(await run('near', 'streamable-http', ...flags));
    const plain = await run('plain', 'streamable-http');
    await expectWebhooks(await portolan('run', '--name=far', ...flags, plain.stdout.trim()));
  });

  it('reads the secret from the store, and denies every call while the service is down', async () => {
    const window = {
      name: 'window',
      url: server.url,
      failure_policy: 'fail',
      hmac_secret_ref: 'window-hmac',
      tls_config: { insecure_skip_verify: true },
      compat: true,
    };
    await writeFile(path.join(root, 'hooks.json'), JSON.stringify({ validating: [window] }));
    environment = { ...environment, PORTOLAN_SECRETS_PROVIDER: 'environment' };
    const missing = await run('near', 'stdio', '--webhook-config', 'hooks.json');
    expect(missing.status).not.to.equal(0);
    expect(missing.stderr)
      .to.match(/secret/i)
      .and.not.to.include('hunter2');
    expect((await portolan('list', '--all', '--format', 'json')).stdout).to.equal('[]\n');

    environment = { ...environment, 'PORTOLAN_SECRET_window-hmac': 'hunter2' };
    const started = await run('near', 'stdio', '--webhook-config', 'hooks.json');
    expect(started.status, started.stderr).to.equal(0);
    const client = await McpClient.connect(new URL(started.stdout.trim()));
    const [question] = server.received;
    const at = String(question?.headers['x-portolan-timestamp']);
    const signature = createHmac('sha256', 'hunter2').update(`${at}.${question?.body}`).digest('hex');
    expect(question?.headers).to.include({
      'x-portolan-signature': `sha256=${signature}`,
      'x-toolhive-signature': `sha256=${signature}`,
    });
    await server.close();
    const refused = await client.post({ id: 1, method: 'tools/list' });
    expect([refused.status, refused.json.error]).to.deep.equal([
      200,
      { code: 403, message: 'Request denied by policy' },
    ]);
    expect((await portolan('logs', 'near', '--proxy')).stdout).to.include('a webhook failed');
  });

  it('trusts --cli-ca-bundle, and first the bundle of the webhook', async () => {
    const { url } = server;
    const hook = { name: 'window', url: url.replace('127.0.0.1', 'localhost'), failure_policy: 'fail' };
    await writeFile(path.join(root, 'plain.json'), JSON.stringify({ validating: [hook] }));
    await mkdir(path.join(root, 'other'));
    await makeCertificate(path.join(root, 'other'), ['localhost']);
    const other = '--cli-ca-bundle=other/certificate.pem';
    const codes = async (name: string, ...more: readonly string[]): Promise<readonly unknown[]> => {
      const started = await run(name, 'stdio', ...more);
      if (started.status !== 0) return [];
      const { json } = await new McpClient(new URL(started.stdout.trim())).post(initialize());
      return [json.error?.code];
    };
    const plain = ['--webhook-config', 'plain.json'];
    expect(await codes('trusted', '--cli-ca-bundle=certificate.pem', ...plain)).to.deep.equal([undefined]);
    expect(await codes('own', other, ...flags)).to.deep.equal([undefined]);
    // Even the handshake is refused.
    expect(await codes('foreign', other, ...plain)).to.deep.equal([403]);
  });

  it('starts nothing for an invalid file', async () => {
    await writeFile(
      path.join(root, 'broken.yaml'),
      'validating: [{ name: a, url: "http://a.example", failure_policy: fail }]',
    );
    await writeFile(
      path.join(root, 'lost.yaml'),
      `mutating: [{ name: a, url: "${server.url}", failure_policy: fail, hmac_secret_ref: /nowhere/key }]`,
    );
    const faults: readonly (readonly [file: string, says: RegExp])[] = [
      ['nowhere.yaml', /nowhere\.yaml/],
      ['broken.yaml', /broken\.yaml.*\n.*validating\[0\]\.url/],
      ['lost.yaml', /hmacSecret.*\/nowhere\/key/],
    ];
    for (const [file, says] of faults) {
      const { status, stderr } = await run('none', 'stdio', '--webhook-config', file);
      expect(status, stderr).to.equal(2);
      expect(stderr).to.match(says);
    }
    expect((await portolan('list', '--all', '--format', 'json')).stdout).to.equal('[]\n');
  });
});
