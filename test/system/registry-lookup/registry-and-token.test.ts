import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually, startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { type Finished, runPortolan, RunningPortolan } from '../../support/command-line.ts';
import { freePort } from '../../support/free-port.ts';
import { foldersBelow } from '../../support/user-folders.ts';

const NOTES = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: 'com.acme/notes',
  description: 'Keeps notes.',
  version: '1.0.0',
  remotes: [{ type: 'streamable-http', url: 'https://notes.acme.example/mcp' }],
};
const CATALOGUE = { version: '1.0.0', data: { servers: [NOTES] } };

describe('registry and token flags', function () {
  this.timeout(180_000);
  let root: string;
  let issuer: TestIssuer;
  let server: RunningPortolan;
  let url: string;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-one-way-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    issuer = await startTestIssuer();
    const port = await freePort();
    url = `http://localhost:${port}`;
    await writeFile(path.join(root, 'catalogue.json'), JSON.stringify(CATALOGUE));
    const configuration = `
sources: [{ name: catalogue, file: { path: ./catalogue.json }, syncPolicy: { interval: 1h } }]
registries: [{ name: main, sources: [catalogue] }]
auth:
  mode: oauth
  oauth:
    resourceUrl: ${url}
    allowInsecureIssuers: true
    providers: [{ name: company, issuerUrl: "${issuer.issuerUrl}", audience: "${url}", allowPrivateIP: true }]
database: { url: "sqlite::memory:" }
server: { address: "127.0.0.1:${port}", internalAddress: "off" }
`;
    await writeFile(path.join(root, 'portolan.config.yaml'), configuration);
    server = new RunningPortolan(['serve'], { cwd: root });
    await server.logged('listening');
    await writeFile(path.join(root, 'token'), issuer.sign({ aud: url, sub: 'ada' }));
    const at = ['--url', `${url}/registry/main`, '--token-file', 'token', '--refresh'];
    await eventually(
      async () => {
        expect((await portolan(['registry', 'list', ...at])).stdout).to.include('com.acme/notes');
      },
      { withinMs: 60_000 },
    );
    await writeFile(path.join(root, 'server.json'), JSON.stringify(NOTES));
    await writeFile(path.join(root, 'old-token'), issuer.sign({ aud: url, exp: 1_700_000_000 }));
  });
  after(async () => {
    await server?.stop();
    await issuer?.close();
    if (root !== undefined) await rm(root, { recursive: true, force: true });
  });

  const portolan = async (
    words: readonly string[],
    environment: Readonly<Record<string, string>> = {},
  ): Promise<Finished> =>
    await runPortolan(words, { cwd: root, env: { ...foldersBelow(root), ...environment } });

  for (const words of [
    ['search', 'notes'],
    ['registry', 'list'],
    ['registry', 'info', 'com.acme/notes'],
  ]) {
    it(`N10 › ${words.join(' ')} uses the registry of --url with the token of --token-file`, async () => {
      const at = ['--url', `${url}/registry/main`, '--refresh'];
      const found = await portolan([...words, ...at, '--token-file', 'token']);
      expect(found, found.stderr).to.include({ status: 0 });
      expect(found.stdout).to.include('com.acme/notes');
      const refused = await portolan([...words, ...at]);
      expect(refused.status).to.equal(1);
      expect(refused.stderr).to.include(`portolan registry login ${url}`);
    });
  }

  it('N8 › registry info names the command that explains an absent server to managers of sources', async () => {
    const at = ['--url', `${url}/registry/main`, '--token-file', 'token', '--refresh'];
    const { status, stderr } = await portolan(['registry', 'info', 'com.acme/absent', ...at]);
    expect(status).to.equal(1);
    const words = [
      'claims',
      'explain',
      '--url',
      url,
      '--registry',
      'main',
      '--entry',
      'server/com.acme/absent',
    ];
    expect(stderr).to.include(`portolan ${words.join(' ')}`);
    const { stdout } = await portolan([...words, '--token-file', 'token']);
    expect(stdout).to.include('No entry of this name is there for the caller.');
  });

  it('N10 › plan finds a name in the registry of --url with the token of --token-file', async () => {
    const at = ['--url', `${url}/registry/main`, '--remote-auth=false'];
    const found = await portolan(['plan', 'com.acme/notes', ...at, '--token-file', 'token']);
    expect(found, found.stderr).to.include({ status: 0 });
    expect(found.stdout).to.include('https://notes.acme.example/mcp');
    const refused = await portolan(['plan', 'com.acme/notes', ...at]);
    expect(refused.status).to.equal(1);
    expect(refused.stderr).to.include(`portolan registry login ${url}`);
  });

  it('N10 › update finds names in the registry of --url', async () => {
    const { status, stderr } = await portolan([
      'update',
      '--check',
      '--url',
      'http://localhost:1/registry/main',
    ]);
    expect(status).to.equal(1);
    expect(stderr).to.include('http://localhost:1').and.include('cannot be reached');
  });

  const TARGETS: readonly (readonly string[])[] = [
    [],
    ['https://mcp.acme.example/mcp'],
    ['npx://notes'],
    ['--from-config', 'x.json'],
  ];
  for (const target of TARGETS) {
    it(`N10 › run --url refuses a target that needs no registry: ${target.join(' ') || 'nothing'}`, async () => {
      const { status, stderr } = await portolan(['run', ...target, '--url', 'https://mcp.acme.example']);
      expect(status).to.equal(2);
      expect(stderr).to.include('--url applies to the registry').and.include('portolan run URL');
    });
  }

  it('N10 › search and run use PORTOLAN_TOKEN_FILE for the server of PORTOLAN_URL', async () => {
    const variables = { PORTOLAN_URL: url, PORTOLAN_TOKEN_FILE: 'token' };
    const words = ['config', 'set-registry', `${url}/registry/main`, '--allow-private-ip'];
    expect(await portolan(words, variables)).to.include({ status: 0 });
    const found = await portolan(['search', 'notes', '--refresh'], variables);
    expect(found, found.stderr).to.include({ status: 0 });
    const plan = await portolan(['plan', 'com.acme/notes', '--remote-auth=false'], variables);
    expect(plan.stdout, plan.stderr).to.include('https://notes.acme.example/mcp');
  });

  it('N10 › registry whoami names the server of --url, and shows the owner of the token', async () => {
    const shown = [
      await portolan(['registry', 'whoami', '--url', url, '--token-file', 'token', '--format', 'json']),
      await portolan(['registry', 'whoami', url, '--format', 'json'], { PORTOLAN_TOKEN_FILE: 'token' }),
    ];
    for (const { status, stdout, stderr } of shown) {
      expect(status, stderr).to.equal(0);
      expect(JSON.parse(stdout)).to.deep.include({ registry: url, subject: 'ada' });
    }
    expect((await portolan(['registry', 'whoami', url, '--url', url])).status).to.equal(2);
    const whoami = ['registry', 'whoami', url, '--token-file', 'token'];
    expect((await portolan([...whoami, '--timeout', '0s'])).stderr).to.include(
      '--timeout: expected a duration',
    );
    expect((await portolan([...whoami, '--ca-cert', 'absent.pem'])).stderr).to.include('absent.pem');
    const insecure = ['registry', 'whoami', 'http://host.invalid', '--token-file', 'token'];
    expect((await portolan(insecure)).stderr).to.include('--allow-insecure');
    expect((await portolan([...insecure, '--allow-insecure'])).stderr).to.include('http://host.invalid');
  });

  const at = ['--url', '%', '--token-file', 'old-token'];
  const REFUSED: readonly (readonly string[])[] = [
    ['registry', 'whoami', ...at],
    ['publish', 'server.json', ...at],
    ['claims', 'explain', ...at],
    ['entries', 'list', '--source', 'catalogue', ...at],
    ['sources', 'show', 'catalogue', ...at],
    ['registries', 'list', ...at],
  ];
  for (const words of REFUSED) {
    it(`N7 › ${words.slice(0, 2).join(' ')} prints when the token expired`, async () => {
      const { status, stderr } = await portolan(words.map((word) => word.replace('%', url)));
      expect(status).to.equal(1);
      expect(stderr).to.include('the access token expired at 2023-11-14T22:13:20.000Z');
      expect(stderr).not.to.include('claims explain');
    });
  }

  const LOOKUPS: readonly (readonly string[])[] = [
    ['search', 'notes', '--refresh'],
    ['registry', 'list', '--refresh'],
    ['registry', 'info', 'com.acme/notes', '--refresh'],
    ['plan', 'com.acme/notes'],
  ];
  for (const words of LOOKUPS) {
    it(`N7 › ${words.slice(0, 2).join(' ')} prints when the token expired`, async () => {
      const set = ['config', 'set-registry', `${url}/registry/main`, '--allow-private-ip'];
      expect(await portolan(set)).to.include({ status: 0 });
      const { status, stderr } = await portolan(words, { PORTOLAN_REGISTRY_TOKEN_FILE: 'old-token' });
      expect(status).to.equal(1);
      expect(stderr).to.include('(401), which expired at 2023-11-14T22:13:20.000Z');
    });
  }

  it('N7 › registry login reports an unreachable issuer', async () => {
    const down = 'http://localhost:1';
    const words = ['registry', 'login', url, '--issuer', down, '--client-id', 'x', '--skip-browser'];
    const { status, stderr } = await portolan(words);
    expect(status).to.equal(1);
    expect(stderr).to.include(`${down} cannot be reached`).and.not.include('no metadata');
  });
});
