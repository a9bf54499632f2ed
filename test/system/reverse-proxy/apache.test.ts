import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { RunningPortolan } from '../../support/command-line.ts';
import { asHere, shownIn } from '../../support/examples/shown-in.ts';
import { serverDocument } from '../../support/registry-under-test.ts';
import { APACHE, findProxy, RunningProxy } from '../../support/running-proxy.ts';
import { skipSuite } from '../../support/skip-suite.ts';

const NAME = 'com.acme/notes';
const ISSUER = 'http://127.0.0.1:9';
const AUTH = `{ mode: oauth, oauth: { resourceUrl: "https://acme.example/mcp-registry", providers: [{ name: acme, issuerUrl: "${ISSUER}", audience: registry, allowPrivateIP: true }] } }`;

describe('Apache in front of a registry server, with the lines of docs/operate/reverse-proxy-apache.md', function () {
  this.timeout(180_000); // The cases start a server and an Apache.

  let folder: string;
  let portolan: RunningPortolan | undefined;
  let apache: RunningProxy | undefined;
  before(async function () {
    if ((await findProxy(APACHE)) === undefined) skipSuite(this, 'Apache is not installed');
  });
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-apache-'));
  });
  afterEach(async () => {
    await apache?.stop();
    await portolan?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const start = async (auth: string) => {
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
    const shown = await shownIn('docs/operate/reverse-proxy-apache.md', 'AllowEncodedSlashes ');
    const lines = asHere(shown, { 'http://127.0.0.1:8080': `http://${String(address)}` });
    apache = await RunningProxy.start(APACHE, path.join(folder, 'apache'), lines);
    return { running: portolan, url: apache.url };
  };

  it('keeps escaped slashes in names, and passes the client address and the public address', async () => {
    const { running, url } = await start('{ mode: anonymous }');
    const body = JSON.stringify({ server: serverDocument(NAME) });
    const headers = { 'content-type': 'application/json' };
    const made = await fetch(`${url}/mcp-registry/v1/entries`, { method: 'POST', headers, body });
    expect(made.status, await made.text()).to.equal(201);
    const at = `${url}/mcp-registry/registry/main/v0.1/servers/com.acme%2Fnotes/versions/latest`;
    // Apache appends the address that it sees, here that of this machine. The `Forwarded` header of a visitor
    // does not pass.
    const from = { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=198.51.100.7' };
    const read = await fetch(at, { headers: { ...from, 'x-request-id': 'through-apache' } });
    expect(read.status).to.equal(200);
    const answer = await fetch(`${url}/mcp-registry/registry`);
    expect(await answer.text()).to.include(`"${url.replace('http:', 'https:')}/mcp-registry/registry/main"`);
    await eventually(async () => {
      const asked = running.log.filter((line) => line['request_id'] === 'through-apache');
      expect(asked.map((line) => line['remote_addr'])).to.deep.equal(['203.0.113.9']);
    });
  });

  it('serves metadata at the path between host and resource path', async () => {
    const { url } = await start(AUTH);
    const answer = await fetch(`${url}/.well-known/oauth-protected-resource/mcp-registry`);
    expect(answer.status).to.equal(200);
    expect(await answer.json()).to.include({ resource: 'https://acme.example/mcp-registry' });
  });
});
