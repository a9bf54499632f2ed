import { createHash, createHmac } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { expect } from 'chai';
import { textToSign } from '../../../examples/signed-requests/signed-requests.ts';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import { foldersBelow, endWorkloads } from '../../support/user-folders.ts';

const EXAMPLE = path.resolve(import.meta.dirname, '../../../examples/signed-requests');
const KEY = 'a key of the test, long enough';

describe('portolan run with a credential plugin for outgoing requests', function () {
  this.timeout(120_000);
  let root: string;
  let environment: Readonly<Record<string, string>>;
  let server: Server;
  let remote: string;
  let key: string;
  let refused: number;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-signed-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    key = KEY;
    refused = 0;
    server = createServer((request, response) => void answer(request, response));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    remote = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?team=a`; // listens on TCP
    const config = {
      plugins: [path.join(EXAMPLE, 'signed-requests.ts')],
      outgoingCredentials: { 'signed-requests': { keyId: 'config', key: KEY } },
    };
    const file = path.join(root, 'portolan.json');
    await writeFile(file, JSON.stringify(config));
    environment = {
      ...foldersBelow(root),
      PORTOLAN_CONFIG: file,
      PORTOLAN_SECRETS_PROVIDER: 'environment',
      PORTOLAN_SECRET_TIDES_KEY: KEY,
    };
  });
  after(async () => {
    await endWorkloads(root, environment);
    server.close();
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });

  /** A remote that accepts only signatures. */
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await readText(request);
    const { method = '', headers, url = '' } = request;
    const outgoing = {
      method,
      url: new URL(url, remote),
      headers,
      bodyHash: async () => createHash('sha256').update(body).digest('hex'),
    };
    const text = await textToSign(outgoing, String(headers['x-signed-at']));
    const signature = createHmac('sha256', key).update(text).digest('base64');
    const isOurs = headers.authorization?.endsWith(`signature="${signature}"`) === true;
    if (!isOurs) {
      refused += 1;
      response
        .writeHead(401, { 'www-authenticate': 'Bearer resource_metadata="http://127.0.0.1:9/x"' })
        .end();
      return;
    }
    const { id, method: asked } = JSON.parse(body === '' ? '{}' : body);
    const result =
      asked === 'initialize'
        ? { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'tides', version: '1' } }
        : { tools: [] };
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
  }

  async function ask(url: string): Promise<Response> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' });
    const headers = { 'content-type': 'application/json', authorization: 'Bearer of-the-client' };
    return await fetch(url, { method: 'POST', headers, body });
  }

  async function tides(more: object = {}): Promise<string> {
    // SAFETY: the example is a JSON object.
    const document = JSON.parse(await readFile(path.join(EXAMPLE, 'tides.run.json'), 'utf8')) as object;
    const file = path.join(root, 'tides.json');
    await writeFile(file, JSON.stringify({ ...document, remote_url: remote, ...more }));
    return file;
  }

  it('signs each request, shows the kind but never the key, and continues after a restart', async () => {
    const file = await tides();
    const planned = await portolan('plan', '--trust', '--from-config', file, '--format', 'json');
    expect(planned.stdout, planned.stderr).to.include('signed-requests');
    const started = await portolan('run', '--trust', '--from-config', file);
    expect(started.status, started.stderr).to.equal(0);
    const url = started.stdout.trim();
    expect((await ask(url)).status).to.equal(200);
    expect((await portolan('restart', 'tides')).status).to.equal(0);
    expect((await ask(url)).status).to.equal(200);
    expect(refused).to.equal(0);
    const exported = (await portolan('export', 'tides', '-')).stdout;
    expect(JSON.parse(exported)).to.deep.include({
      remote_credentials: {
        type: 'signed-requests',
        parameters: { keyId: 'tides', keySecret: 'TIDES_KEY,target=key' },
      },
    });
    const status = await portolan('status', 'tides');
    expect(status.stdout).to.match(/Credentials: +signed-requests/);
    const inspected = (await portolan('inspect', 'tides')).stdout;
    for (const text of [planned.stdout, exported, status.stdout, inspected]) expect(text).to.not.include(KEY);
    const login = await portolan('login', 'tides');
    expect(login.stderr).to.include('Login is not possible for tides').and.include('signed-requests');
  });

  it('reports credentials that the remote rejects as a JSON-RPC error without a login challenge, and in status', async () => {
    const { url } = JSON.parse((await portolan('status', 'tides', '--format', 'json')).stdout);
    key = 'another key of the remote';
    const answered = await ask(url);
    expect([answered.status, answered.headers.get('www-authenticate')]).to.deep.equal([200, null]);
    const { error } = Object(await answered.json());
    expect(error.code).to.equal(403);
    expect(error.message).to.include('Change the settings of signed-requests in the workload tides.');
    expect((await portolan('status', 'tides')).stdout).to.include(
      'rejects the credentials of signed-requests',
    );
    key = KEY;
    expect((await ask(url)).status).to.equal(200);
    expect((await portolan('status', 'tides', '--format', 'json')).stdout).to.include('"running"');
  });

  it('uses the credentials kind of a flag, with settings of the configuration', async () => {
    const started = await portolan('run', remote, '--name=flagged', '--remote-credentials=signed-requests');
    expect(started.status, started.stderr).to.equal(0);
    expect((await ask(started.stdout.trim())).status).to.equal(200);
  });

  it('starts nothing with an unknown kind, with invalid settings, or together with a login', async () => {
    const file = async (credentials: object, more: object = {}): Promise<readonly string[]> => [
      '--trust',
      '--from-config',
      await tides({ name: 'none', remote_credentials: credentials, ...more }),
    ];
    const faults: readonly (readonly [args: readonly string[], says: RegExp])[] = [
      [[remote, '--name=none', '--remote-credentials=sgned'], /nknown outgoing credentials "sgned"/],
      [
        [remote, '--name=none', '--remote-credentials=signed-requests', '--remote-auth'],
        /each of them authenticates/,
      ],
    ];
    const documents: readonly (readonly [credentials: object, more: object, says: RegExp])[] = [
      [{ type: 'sgned' }, {}, /nknown outgoing credentials "sgned"/],
      [{ type: 'signed-requests', parameters: { keyId: 7 } }, {}, /remote_credentials\.parameters/],
      [{ type: 'signed-requests', parameters: { keyId: 'a', key: KEY } }, {}, /found a secret/],
      [{ type: 'signed-requests' }, { remote_auth_config: { enabled: true } }, /expected no login/],
    ];
    for (const [args, says] of faults) expectRefused(await portolan('run', ...args), says);
    for (const [credentials, more, says] of documents) {
      expectRefused(await portolan('run', ...(await file(credentials, more))), says);
    }
    expect((await portolan('list', '--all')).stdout).to.not.include('none');
  });

  function expectRefused({ status, stdout, stderr }: Finished, says: RegExp): void {
    expect(status, stdout).not.to.equal(0);
    expect(stderr).to.match(says).and.not.to.include(KEY);
  }
});
