import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { OauthWorld } from '../../../packages/oauth-client/test/support/oauth-world.ts';
import { type Finished, runPortolan, RunningPortolan } from '../../support/command-line.ts';
import { freePort } from '../../support/free-port.ts';
import { giveSecretStore } from '../../support/own-secrets.ts';
import { foldersBelow } from '../../support/user-folders.ts';

const TOKEN_SECONDS = 4;
const CLIENT_SECRET = 'a-secret-of-the-command-line';
const NOTES = {
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: 'com.acme/notes',
  description: 'Keeps notes.',
  version: '1.0.0',
  remotes: [{ type: 'streamable-http', url: 'https://notes.acme.example/mcp' }],
};

describe('portolan registry login', function () {
  this.timeout(180_000);
  let root: string;
  let environment: Readonly<Record<string, string>>;
  let world: OauthWorld;
  let server: RunningPortolan;
  let url: string;
  let callbackPort: number;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-registry-login-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    environment = { ...foldersBelow(root), PORTOLAN_SECRETS_PASSWORD: 'correct horse' };
    callbackPort = await freePort();
    const own = {
      client_id: 'portolan-cli',
      client_secret: CLIENT_SECRET,
      application_type: 'native',
      redirect_uris: [`http://localhost:${callbackPort}/callback`],
      grant_types: ['authorization_code', 'refresh_token'],
    } as const;
    const clients = [{ ...own, redirect_uris: [...own.redirect_uris], grant_types: [...own.grant_types] }];
    world = await OauthWorld.open({ tokenSeconds: TOKEN_SECONDS, accessTokenFormat: 'jwt', clients });
    const port = await freePort();
    url = `http://localhost:${port}`;
    await writeFile(path.join(root, 'portolan.config.yaml'), configuration(port));
    server = new RunningPortolan(['serve'], { cwd: root });
    await server.logged('listening');
    await writeFile(path.join(root, 'notes.json'), JSON.stringify(NOTES));
    await giveSecretStore(root, 'correct horse');
  });
  after(async () => {
    await server.stop();
    await world.close();
    await rm(root, { recursive: true, force: true });
  });

  const configuration = (port: number): string => `
sources:
  - { name: published, managed: {} }
registries:
  - { name: main, sources: [published] }
auth:
  mode: oauth
  requireClaims: false
  oauth:
    resourceUrl: ${url}
    allowInsecureIssuers: true
    providers:
      - { name: company, issuerUrl: "${world.issuer}", audience: "${url}", allowPrivateIP: true }
database: { url: "sqlite::memory:" }
server: { address: "127.0.0.1:${port}", internalAddress: "off" }
`;

  const options = (more: Readonly<Record<string, string>> = {}) => ({
    cwd: root,
    env: { ...environment, ...more },
  });
  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, options());
  async function done(...args: readonly string[]): Promise<string> {
    const { status, stdout, stderr } = await portolan(...args);
    expect(status, stderr).to.equal(0);
    return stdout;
  }
  /** Runs a command during which a person logs in. */
  async function loggingIn(...args: readonly string[]): Promise<Finished> {
    const running = new RunningPortolan(args, options());
    const [, address = ''] = await running.told(/^ {2}(https?:\S+)$/m);
    const page = await world.visit(address);
    const finished = await running.finished;
    expect(finished.status, finished.stderr).to.equal(0);
    expect(page.status, page.text).to.equal(200);
    return finished;
  }
  const logIn = async (): Promise<Finished> =>
    await loggingIn('registry', 'login', `${url}/registry/main`, '--skip-browser');
  const publish = (...more: readonly string[]) => ['publish', 'notes.json', '--url', url, ...more];
  /** Waits until all earlier tokens have expired. */
  const tokensEnd = async (): Promise<void> => {
    const last = Date.now();
    await eventually(async () => expect(Date.now() - last).to.be.greaterThan(TOKEN_SECONDS * 1000), {
      withinMs: 20_000,
    });
  };

  it('prints where to log in without a login', async () => {
    const { status, stderr } = await portolan(...publish());
    expect(status).to.equal(1);
    expect(stderr).to.include(`portolan registry login ${url}`);
    expect(await portolan('registry', 'whoami', url)).to.deep.include({ status: 1 });
  });

  it('provides the token of publish, search, run and whoami, and renews it', async () => {
    const { stdout } = await logIn();
    expect(stdout).to.equal(`logged in to ${url} as Ada\n`);
    const who = JSON.parse(await done('registry', 'whoami', `${url}/registry/main`, '--format', 'json'));
    expect(who).to.deep.include({ registry: url, subject: 'ada', issuer: world.issuer, renewable: true });
    expect(who.roles).to.include('manageEntries');
    expect(Date.parse(who.expires_at) - Date.now()).to.be.at.most(TOKEN_SECONDS * 1000);
    expect(await done(...publish())).to.include('published');
    await done('config', 'set-registry', `${url}/registry/main`, '--allow-private-ip');
    await tokensEnd();
    const asked = await Promise.all(
      ['notes', 'acme', 'com'].map((text) => done('search', text, '--refresh')),
    );
    for (const table of asked) expect(table).to.include('com.acme/notes');
    const plan = await done('run', 'com.acme/notes', '--dry-run', '--remote-auth=false');
    expect(plan).to.include('https://notes.acme.example/mcp');
    const refreshes = world.tokenRequests.filter((request) => request.get('grant_type') === 'refresh_token');
    // Three commands at the same time renew one token once. A refresh token that is used twice ends the
    // login.
    const traded = refreshes.map((request) => request.get('refresh_token'));
    expect(traded.length).to.be.at.least(1);
    expect(new Set(traded).size).to.equal(traded.length);
    expect(await done('registry', 'whoami', url)).to.include('ada');
    expect(new Set(refreshes.map((request) => request.get('resource')))).to.deep.equal(new Set([url]));
  });

  it('has a lower priority than --token-file and PORTOLAN_TOKEN, and sends the token to no other server', async () => {
    await writeFile(path.join(root, 'token'), 'of.a.file');
    const file = await portolan(...publish('--dry-run', '--token-file', 'token'));
    expect(file).to.include({ status: 1 });
    expect(file.stderr).to.include('claims explain').and.not.to.include('of.a.file');
    const variable = await runPortolan(publish('--dry-run'), options({ PORTOLAN_TOKEN: 'of.a.variable' }));
    expect(variable).to.include({ status: 1 });
    expect(variable.stderr).to.not.include('of.a.variable');
    const elsewhere = url.replace('localhost', '127.0.0.1');
    const other = await portolan('publish', 'notes.json', '--dry-run', '--url', elsewhere);
    expect(other.stderr).to.include(`portolan registry login ${elsewhere}`);
    // The output says what PORTOLAN_TOKEN applies to: the other lookup uses the login.
    const search = await runPortolan(
      ['search', 'notes', '--refresh'],
      options({ PORTOLAN_TOKEN: 'of.a.variable', PORTOLAN_URL: 'https://other.example' }),
    );
    expect(search.status, search.stderr).to.equal(0);
  });

  it('stores no token in plain text', async () => {
    const files = await readdir(root, { recursive: true, withFileTypes: true });
    expect(world.issued.length).to.be.greaterThan(0);
    for (const file of files.filter((entry) => entry.isFile())) {
      const text = await readFile(path.join(file.parentPath, file.name), 'latin1');
      for (const token of world.issued) expect(text.includes(token), file.name).to.equal(false);
    }
    const debug = await portolan('registry', 'whoami', url, '--debug');
    for (const token of world.issued) expect(debug.stderr.includes(token)).to.equal(false);
  });

  it('reports an ended login, and works again after a new one', async () => {
    await world.forgetGrants();
    await tokensEnd();
    for (const args of [
      publish('--dry-run'),
      ['search', 'notes', '--refresh'],
      ['registry', 'whoami', url],
    ]) {
      const { status, stderr } = await portolan(...args);
      expect(status, stderr).to.equal(1);
      expect(stderr).to.include(`portolan registry login ${url}`);
    }
    await logIn();
    expect(await done('search', 'notes', '--refresh')).to.include('com.acme/notes');
  });

  it('logout revokes the login and removes everything stored', async () => {
    const revoked = world.revoked.length;
    expect(await done('registry', 'logout', url)).to.equal(`logged out of ${url}\n`);
    expect(world.revoked).to.have.lengthOf(revoked + 1);
    expect(world.unregistered).to.have.lengthOf(1);
    expect(await done('secret', 'list', '--system')).to.not.include('LOGIN');
    expect((await portolan('registry', 'logout', url)).stderr).to.include('There is no login for');
    expect((await portolan('search', 'notes', '--refresh')).stderr).to.include('portolan registry login');
  });

  it('with a confidential client › sends its secret for renewals and logout too', async () => {
    const named = [
      '--issuer',
      world.issuer,
      '--client-id',
      'portolan-cli',
      '--callback-port',
      `${callbackPort}`,
    ];
    const login = ['registry', 'login', url, '--skip-browser'];
    const unknown = await portolan(...login, ...named, '--client-secret', 'CLI_SECRET');
    expect(unknown).to.include({ status: 1 });
    expect(unknown.stderr).to.include('CLI_SECRET');
    const nobody = await portolan(...login, '--client-secret', 'CLI_SECRET');
    expect(nobody).to.include({ status: 2 });
    expect(nobody.stderr).to.include('--issuer and --client-id');

    await runPortolan(['secret', 'set', 'CLI_SECRET'], { ...options(), stdin: CLIENT_SECRET });
    const set = ['--issuer', world.issuer, '--client-id', 'portolan-cli', '--client-secret', 'CLI_SECRET'];
    await done('config', 'set-registry', `${url}/registry/main`, '--allow-private-ip', ...set);
    await loggingIn(...login, '--callback-port', `${callbackPort}`);
    await tokensEnd();
    expect(await done('registry', 'whoami', url)).to.match(/^subject +ada$/m);
    const revoked = world.revoked.length;
    await done('registry', 'logout', url);
    expect(world.revoked).to.have.lengthOf(revoked + 1);
    const files = await readdir(root, { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile()))
      expect(await readFile(path.join(file.parentPath, file.name), 'latin1')).to.not.include(CLIENT_SECRET);
    await done('config', 'set-registry', `${url}/registry/main`, '--allow-private-ip');
  });

  it('without a browser › logs in on another device', async () => {
    const { stderr } = await loggingIn('registry', 'login', url);
    expect(stderr).to.include('enter the code');
    expect(await done('registry', 'whoami', url)).to.match(/^subject +ada$/m);
    await done('registry', 'logout', url);
  });
});
