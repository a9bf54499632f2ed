import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { expect } from 'chai';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import {
  inlineSource,
  type Json,
  RegistryUnderTest,
  serverDocument,
} from '../../support/registry-under-test.ts';
import { foldersBelow, endWorkloads } from '../../support/user-folders.ts';

describe('portolan run of an entry with undefined placeholders', function () {
  this.timeout(120_000);
  let root: string;
  let environment: Readonly<Record<string, string>>;
  let server: Server;
  let registry: RegistryUnderTest | undefined;
  const received: { readonly authorization: string | undefined; readonly region: unknown }[] = [];

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-placeholders-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    environment = { ...foldersBelow(root), PORTOLAN_SECRETS_PASSWORD: 'a long password' };
    server = createServer(async (request, response) => {
      const { authorization, 'x-region': region } = request.headers;
      received.push({ authorization, region });
      const { id } = JSON.parse((await readText(request)) || '{}');
      const result = {
        protocolVersion: '2025-06-18',
        capabilities: {},
        serverInfo: { name: 'a', version: '1' },
      };
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo; // SAFETY: a TCP server has a port.
    const url = `http://127.0.0.1:${port}/mcp`;
    const entry = (name: string, remote: Json): Json =>
      serverDocument(`ai.smithery/${name}`, '1.0.0', {
        remotes: [{ type: 'streamable-http', url, ...remote }],
      });
    const authorization = {
      name: 'Authorization',
      value: 'Bearer {smithery_api_key}',
      isRequired: true,
      isSecret: true,
    };
    registry = await RegistryUnderTest.start({
      engine: 'SQLite',
      mode: 'anonymous',
      config: {
        sources: [
          inlineSource('main', undefined, [
            entry('keyed', { headers: [authorization] }),
            entry('regional', { headers: [{ name: 'X-Region', value: 'in {region}' }] }),
            entry('tenanted', { url: 'https://{domain}.acme.example/mcp' }),
          ]),
        ],
        registries: [{ name: 'main', sources: ['main'] }],
      },
    });
    await portolan('config', 'set-registry', `${registry.url}/registry/main`, '--allow-private-ip');
    await portolan('secret', 'provider', 'encrypted');
  });
  after(async () => {
    await endWorkloads(root, environment);
    await registry?.close();
    server.close();
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });
  const oneLine = ({ stderr }: Finished): string => stderr.replaceAll(/\s+/g, ' ');

  it('refuses to start without a required value, and accepts it from -e (official registry 503)', async () => {
    const refused = await portolan('run', 'ai.smithery/keyed', '--trust');
    expect(refused.status).to.equal(2);
    expect(oneLine(refused)).to.include('missing required environment variable: smithery_api_key');
    const planned = await portolan('plan', 'ai.smithery/keyed', '--format', 'json');
    expect(JSON.parse(planned.stdout).missing).to.deep.equal(['smithery_api_key']);
    expect(received).to.deep.equal([]);
    const ran = await portolan(
      'run',
      'ai.smithery/keyed',
      '--trust',
      '--name=keyed',
      '-e',
      'smithery_api_key=hunter2',
    );
    expect(ran.status, ran.stderr).to.equal(0);
    expect(new Set(received.map(({ authorization }) => authorization))).to.deep.equal(
      new Set(['Bearer hunter2']),
    );
    const exported = await portolan('export', 'keyed', '-');
    expect(exported.stdout).to.include('registry-user-authorization').and.not.include('hunter2');
  });

  it('accepts the value from a stored secret', async () => {
    received.length = 0;
    await runPortolan(['secret', 'set', 'my-key'], { cwd: root, env: environment, stdin: 'hunter3' });
    const secret = ['--secret', 'my-key,target=smithery_api_key'];
    const ran = await portolan('run', 'ai.smithery/keyed', '--trust', '--name=stored', ...secret);
    expect(ran.status, ran.stderr).to.equal(0);
    expect(new Set(received.map(({ authorization }) => authorization))).to.deep.equal(
      new Set(['Bearer hunter3']),
    );
  });

  it('warns once, in plan and run, about an optional placeholder', async () => {
    received.length = 0;
    const warning =
      'ai.smithery/regional does not define {region} in the header X-Region: the text stays as it is. -e NAME=VALUE replaces it.';
    const planned = await portolan('plan', 'ai.smithery/regional', '--format', 'json');
    expect(JSON.parse(planned.stdout).warnings).to.deep.equal([warning]);
    const ran = await portolan('run', 'ai.smithery/regional', '--trust', '--name=regional');
    expect(ran.status, ran.stderr).to.equal(0);
    expect(oneLine(ran).split(warning)).to.have.length(2);
    expect(new Set(received.map(({ region }) => region))).to.deep.equal(new Set(['in {region}']));
    received.length = 0;
    const again = await portolan(
      'run',
      'ai.smithery/regional',
      '--trust',
      '--name=north',
      '-e',
      'region=north',
    );
    expect(oneLine(again)).not.to.include('does not define');
    expect(new Set(received.map(({ region }) => region))).to.deep.equal(new Set(['in north']));
  });

  it('refuses a URL that still has a brace, before anything starts', async () => {
    const open = await portolan('run', 'ai.smithery/tenanted');
    expect([open.status, oneLine(open)]).to.satisfy(
      ([status, said]: [number, string]) =>
        status === 2 && said.includes('missing required environment variable: domain'),
    );
    const filled = await portolan('run', 'ai.smithery/tenanted', '-e', 'domain={x}');
    expect([filled.status, oneLine(filled)].join(' ')).to.match(/^2 .*a URL without \{ and \}/);
    const typed = await portolan('run', 'https://{domain}.acme.example/mcp');
    expect([typed.status, oneLine(typed)].join(' ')).to.match(/^2 .*the placeholder \{domain\}/);
    await writeFile(
      path.join(root, 'foreign.json'),
      JSON.stringify({ name: 'foreign', remote_url: 'https://{domain}.acme.example/mcp', transport: 'sse' }),
    );
    const file = await portolan('run', '--from-config', 'foreign.json');
    expect([file.status, oneLine(file)].join(' ')).to.match(/^2 .*remote_url: .*the placeholder \{domain\}/);
  });
});
