import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { RunningPortolan, runPortolan } from '../../support/command-line.ts';
import { ROOT } from '../../../scripts/workspace-packages.ts';
import { asHere, shownIn } from '../../support/examples/shown-in.ts';
import { serverDocument } from '../../support/registry-under-test.ts';
import { findProxy, NGINX, RunningProxy } from '../../support/running-proxy.ts';
import { skipSuite } from '../../support/skip-suite.ts';

const NAME = 'com.acme/notes';

/** The usual configuration, without headers about the original request. */
const TEXTBOOK = (server: string) => `location /mcp-registry/ { proxy_pass ${server}/; }`;

interface Linked {
  readonly registries: readonly { readonly url: string }[];
}

describe('nginx in front of a registry server', function () {
  this.timeout(180_000); // The cases start a server and an nginx.

  let folder: string;
  let portolan: RunningPortolan | undefined;
  let nginx: RunningProxy | undefined;
  let url: string;
  before(async function () {
    if ((await findProxy(NGINX)) === undefined) skipSuite(this, 'nginx is not installed');
  });
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-nginx-'));
  });
  afterEach(async () => {
    await nginx?.stop();
    await portolan?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (settings: string, locations: (server: string) => string | Promise<string>) => {
    const config = `
sources:
  - { name: published, managed: {} }
registries:
  - { name: main, sources: [published] }
auth: { mode: anonymous }
audit: { enabled: true, logFile: ./audit.log }
database: { url: "sqlite::memory:" }
server: { address: "127.0.0.1:0", internalAddress: "off"${settings} }
`;
    await writeFile(path.join(folder, 'portolan.config.yaml'), config);
    portolan = new RunningPortolan(['serve'], { cwd: folder });
    const { address } = await portolan.logged('listening');
    const text = await locations(`http://${String(address)}`);
    nginx = await RunningProxy.start(NGINX, path.join(folder, 'nginx'), text);
    url = `${nginx.url}/mcp-registry`;
    return portolan;
  };
  const send = async (method: string, target: string, body?: unknown) =>
    await fetch(`${url}${target}`, {
      method,
      headers: { 'content-type': 'application/json', 'x-request-id': 'through-nginx' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  it('reaches every endpoint with a name in its path, although nginx decodes it', async () => {
    await start(', publicUrl: "https://acme.example/mcp-registry"', TEXTBOOK);
    const published = await send('POST', '/v1/entries', {
      server: serverDocument(NAME),
      claims: { org: 'acme' },
    });
    expect(published.status).to.equal(201);
    expect(published.headers.get('location')).to.equal(
      'https://acme.example/mcp-registry/v1/entries/server/com.acme%2Fnotes/versions/1.0.0',
    );
    const servers = '/registry/main/v0.1/servers';
    const asked: readonly (readonly [method: string, target: string, body?: unknown])[] = [
      ['GET', `${servers}/com.acme%2Fnotes/versions`],
      ['GET', `${servers}/com.acme%2Fnotes/versions/latest`],
      ['GET', '/v1/entries/server/com.acme%2Fnotes/claims'],
      ['PUT', '/v1/entries/server/com.acme%2Fnotes/claims', { claims: { org: 'other' } }],
      ['PATCH', '/v1/entries/server/com.acme%2Fnotes/status', { status: 'deprecated' }],
      ['PATCH', '/v1/entries/server/com.acme%2Fnotes/versions/1.0.0/status', { status: 'active' }],
      ['DELETE', '/v1/entries/server/com.acme%2Fnotes/versions/1.0.0'],
    ];
    for (const [method, target, body] of asked)
      expect((await send(method, target, body)).status, `${method} ${target}`).to.be.lessThan(300);
    expect((await send('GET', `${servers}/com.acme%2Fnotes/versions/latest`)).status).to.equal(404);
  });

  it('accepts the publish and claims commands of portolan', async () => {
    await start('', TEXTBOOK);
    await writeFile(path.join(folder, 'server.json'), JSON.stringify(serverDocument(NAME)));
    const run = async (...args: readonly string[]) => {
      const { status, stderr } = await runPortolan(args, { cwd: folder, env: { PORTOLAN_URL: url } });
      expect({ status, stderr }, args.join(' ')).to.deep.equal({ status: 0, stderr: '' });
    };
    await run('publish', 'server.json', '--dry-run');
    await run('publish', 'server.json');
    await run('entries', 'claims', 'set', `server/${NAME}`, '--claim', 'org=acme');
    await run('entries', 'claims', 'get', `server/${NAME}`);
  });

  it('is configured in the guide as in deploy/compose, which compose.test.ts runs', async () => {
    expect(await shownIn('docs/operate/reverse-proxy-nginx.md', 'worker_processes auto;')).to.equal(
      await readFile(path.join(ROOT, 'deploy/compose/nginx.conf'), 'utf8'),
    );
  });

  it('sends requests to the servers of the upstream block of the guide', async () => {
    const upstream = await shownIn('docs/operate/reverse-proxy-nginx.md', 'upstream registry {');
    await start('', (server) => {
      const addresses = { '10.0.0.11:8080': new URL(server).host, '10.0.0.12:8080': '127.0.0.1:9' };
      const location = 'proxy_pass http://registry/; proxy_set_header Host $http_host;';
      return `${asHere(upstream, addresses)}location /mcp-registry/ { ${location} }`;
    });
    expect((await send('GET', '/registry')).status).to.equal(200);
  });

  it('limits requests with the lines of the guide', async () => {
    await start(', trustedProxies: [127.0.0.1]', async (server) => {
      const lines = await shownIn('docs/guides/registry/rate-limiting.md', '# in http { }');
      const rates = { 'rate=20r/s': 'rate=1r/s', 'burst=60': 'burst=5' };
      return asHere(lines, { 'http://127.0.0.1:8080': server, ...rates });
    });
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await fetch(`${nginx?.url}/registry`)).status),
    );
    expect(statuses).to.include(200).and.to.include(429);
  });

  it('passes the client address and the public address with the lines of docs/operate/reverse-proxy-nginx.md', async () => {
    const running = await start(', trustedProxies: [127.0.0.1]', async (server) => {
      const lines = await shownIn('docs/operate/reverse-proxy-nginx.md', 'location /mcp-registry/ {');
      return asHere(lines, { 'http://127.0.0.1:8080': server, $remote_addr: '203.0.113.9' });
    });
    const answer = await send('GET', '/registry');
    // SAFETY: the next line checks the response.
    const { registries } = (await answer.json()) as Linked;
    expect(registries.map((one) => one.url)).to.deep.equal([`${url}/registry/main`]);
    const list = await send('GET', '/registry/main/v0.1/servers');
    expect(list.status).to.equal(200);
    const { remote_addr: address } = await running.logged('request');
    expect(address).to.equal('203.0.113.9');
    const audited = async () => await readFile(path.join(folder, 'audit.log'), 'utf8');
    for (let tries = 0; !(await audited()).includes('server.list') && tries < 200; tries += 1)
      await delay(25);
    expect(await audited()).to.include('"value":"203.0.113.9"');
  });
});
