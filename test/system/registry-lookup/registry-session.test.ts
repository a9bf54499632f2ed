import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { OauthWorld } from '../../../packages/oauth-client/test/support/oauth-world.ts';
import { expect } from 'chai';
import { type Finished, runPortolan, RunningPortolan } from '../../support/command-line.ts';
import { expectRecorded, readSession, wordsOf } from '../../support/examples/recorded-session.ts';
import { freePort } from '../../support/free-port.ts';
import { giveSecretStore } from '../../support/own-secrets.ts';
import { foldersBelow } from '../../support/user-folders.ts';

const SHOWN = { registry: 'https://registry.acme.example', issuer: 'https://sso.acme.example' };

const $schema = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const PARTNERS = JSON.stringify({
  version: '1.0.0',
  data: {
    servers: [
      { $schema, name: 'com.partner/waves', description: 'Tells the waves.', version: '1.0.0' },
      { $schema, name: 'com.partner/wind', description: 'Tells the wind.' },
    ],
  },
});

/** Returns the parts of a session in the order in which a person runs them. */
const readParts = async () =>
  await Promise.all([
    readSession('guides/registry/publish/log-in.md', 'Log in'),
    readSession('guides/registry/publish/publish-servers.md', '1. Write the file'),
    readSession('guides/registry/publish/publish-servers.md', '2. Validate it'),
    readSession('guides/registry/publish/publish-servers.md', '3. Publish it'),
    readSession('guides/registry/publish/publish-servers.md', 'Publish again'),
    readSession('guides/registry/sources/sync.md', 'Sync now'),
    readSession('guides/registry/sources/managed.md', 'Example session'),
    readSession('guides/registry/registries.md', 'Create a registry without the file'),
    readSession('guides/registry/registries.md', 'Use the new registry'),
    readSession('guides/registry/registries.md', 'Remove a registry'),
    readSession('guides/registry/sources/managed.md', 'Remove a source'),
    readSession('guides/registry/publish/log-in.md', 'Log out'),
  ]);

describe('terminal session in the guides of a registry', function () {
  this.timeout(600_000); // The cases start a server and a process for each command.
  let root: string;
  let env: Readonly<Record<string, string>>;
  let world: OauthWorld;
  let server: RunningPortolan;
  let url: string;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-session-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const client = {
      client_id: 'registry-cli',
      token_endpoint_auth_method: 'none',
      application_type: 'native',
      redirect_uris: ['http://localhost/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
    } as const;
    world = await OauthWorld.open({
      clients: [
        { ...client, redirect_uris: [...client.redirect_uris], grant_types: [...client.grant_types] },
      ],
      accessTokenFormat: 'jwt',
    });
    const port = await freePort();
    url = `http://localhost:${port}`;
    env = { ...foldersBelow(root), PORTOLAN_SECRETS_PASSWORD: 'correct horse', PORTOLAN_URL: url };
    await writeFile(path.join(root, 'portolan.config.yaml'), configuration(port));
    await writeFile(path.join(root, 'partners.json'), PARTNERS);
    server = new RunningPortolan(['serve'], { cwd: root });
    await server.logged('listening');
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
  - { name: partners, file: { path: ./partners.json }, syncPolicy: { interval: 30m } }
registries:
  - { name: main, sources: [published] }
auth:
  mode: oauth
  oauth:
    resourceUrl: ${url}
    allowInsecureIssuers: true
    providers:
      - name: company
        issuerUrl: "${world.issuer}"
        audience: "${url}"
        allowPrivateIP: true
        login: { publicClientId: registry-cli, scopes: [openid, offline_access] }
database: { url: "sqlite::memory:" }
server: { address: "127.0.0.1:${port}", internalAddress: "off" }
`;

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env });
  const used = (word: string): string => word.replaceAll(SHOWN.registry, url);
  const shown = (text: string): string =>
    text
      .replaceAll(url, SHOWN.registry)
      .replaceAll(world.issuer, SHOWN.issuer)
      .replaceAll(new URL(url).host, new URL(SHOWN.registry).host)
      .replaceAll(new URL(world.issuer).host, new URL(SHOWN.issuer).host);

  /** Variables that a registry on loopback and a machine without a browser need in addition. */
  function here(words: readonly string[]): readonly string[] {
    if (words.includes('set-registry')) return [...words, '--allow-private-ip'];
    return words.includes('--dry-run') && words[0] === 'run' ? [...words, '--remote-auth=false'] : words;
  }

  async function loggingIn(words: readonly string[]): Promise<Finished> {
    const running = new RunningPortolan([...words, '--skip-browser', '--callback-port=0'], {
      cwd: root,
      env,
    });
    const [, address = ''] = await running.told(/^ {2}(https?:\S+)$/m);
    expect((await world.visit(address)).status).to.equal(200);
    const finished = await running.finished;
    // The output that a person sees first.
    return { ...finished, stdout: finished.stderr, stderr: finished.stdout };
  }

  it('works as shown, with the client that the registry names', async () => {
    for (const recorded of (await readParts()).flat()) {
      const words = wordsOf(recorded).map(used);
      const finished = words.includes('login') ? await loggingIn(words) : await portolan(...here(words));
      const [stdout, stderr] = [shown(finished.stdout), shown(finished.stderr)];
      expectRecorded(recorded, { ...finished, stdout, stderr });
      expect(finished.status === 0, recorded.command).to.equal(!recorded.output.startsWith('error: '));
    }
    const [login] = world.tokenRequests;
    expect(login?.get('client_id')).to.equal('registry-cli');
    expect(world.revoked).to.have.lengthOf(1);
  });
});
