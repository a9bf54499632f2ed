import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { RunningPortolan } from '../../support/command-line.ts';
import { asHere, shownIn } from '../../support/examples/shown-in.ts';
import { serverDocument } from '../../support/registry-under-test.ts';
import { CADDY, findProxy, RunningProxy } from '../../support/running-proxy.ts';
import { skipSuite } from '../../support/skip-suite.ts';

const NAME = 'com.acme/notes';
const AUTH = `{ mode: oauth, oauth: { resourceUrl: "https://acme.example/mcp-registry", providers: [{ name: acme, issuerUrl: "http://127.0.0.1:9", audience: registry, allowPrivateIP: true }] } }`;

describe('Caddy in front of a registry server, with the configurations of docs/operate/reverse-proxy-caddy.md', function () {
  this.timeout(180_000); // The cases start a server and a Caddy.

  let folder: string;
  let portolan: RunningPortolan | undefined;
  let caddy: RunningProxy | undefined;
  before(async function () {
    if ((await findProxy(CADDY)) === undefined) skipSuite(this, 'Caddy is not installed');
  });
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-caddy-'));
  });
  afterEach(async () => {
    await caddy?.stop();
    await portolan?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (shown: string, auth = '{ mode: anonymous }') => {
    const config = `
sources:
  - { name: published, managed: {} }
registries:
  - { name: main, sources: [published] }
auth: ${auth}
database: { url: "sqlite::memory:" }
server: { address: "127.0.0.1:0", internalAddress: "off", trustedProxies: [127.0.0.1] }
`;
    await writeFile(path.join(folder, 'portolan.config.yaml'), config);
    portolan = new RunningPortolan(['serve'], { cwd: folder });
    const { address } = await portolan.logged('listening');
    const lines = asHere(shown, { '127.0.0.1:8080': String(address) });
    caddy = await RunningProxy.start(CADDY, path.join(folder, 'caddy'), lines);
    return { running: portolan, url: caddy.url };
  };

  it('passes requests on at the root of a host, once the server is ready', async () => {
    const { url } = await start(
      await shownIn('docs/operate/reverse-proxy-caddy.md', 'registry.acme.example {'),
    );
    await eventually(async () => {
      const response = await fetch(`${url}/registry`);
      expect(await response.text()).to.include(`"${url}/registry/main"`);
    });
  });

  it('removes a path prefix, and passes the client address and the public address', async () => {
    const { running, url } = await start(
      await shownIn('docs/operate/reverse-proxy-caddy.md', 'acme.example {'),
    );
    const body = JSON.stringify({ server: serverDocument(NAME) });
    const headers = { 'content-type': 'application/json' };
    const made = await fetch(`${url}/mcp-registry/v1/entries`, { method: 'POST', headers, body });
    expect(made.status, await made.text()).to.equal(201);
    const at = `${url}/mcp-registry/registry/main/v0.1/servers/com.acme%2Fnotes/versions/latest`;
    const read = await fetch(at, {
      headers: { 'x-request-id': 'through-caddy', forwarded: 'for=198.51.100.7' },
    });
    expect(read.status).to.equal(200);
    const response = await fetch(`${url}/mcp-registry/registry`);
    expect(await response.text()).to.include(`"${url}/mcp-registry/registry/main"`);
    await eventually(async () => {
      const logged = running.log.filter((line) => line['request_id'] === 'through-caddy');
      expect(logged.map((line) => line['remote_addr'])).to.deep.equal(['127.0.0.1']);
    });
  });

  it('serves metadata at the path between host and resource path', async () => {
    const { url } = await start(await shownIn('docs/operate/reverse-proxy-caddy.md', 'acme.example {'), AUTH);
    const response = await fetch(`${url}/.well-known/oauth-protected-resource/mcp-registry`);
    expect(response.status).to.equal(200);
    expect(await response.json()).to.include({ resource: 'https://acme.example/mcp-registry' });
  });
});
