import { readdir, readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { text as readText } from 'node:stream/consumers';
import { expect } from 'chai';
import { inlineSource, RegistryUnderTest, serverDocument } from '../../support/registry-under-test.ts';
import { WorkloadUser } from '../../support/workload-user.ts';

const SECRET = 'hunter2/+=&%zebra';
const SPELLINGS = [SECRET, encodeURIComponent(SECRET), 'zebra'];
const KEY = { key: { isRequired: true, isSecret: true } };

/** Prints its arguments, then serves on standard input and output. */
const PROGRAM = String.raw`
console.error('started with', process.argv.at(-1));
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const message = JSON.parse(line);
  if (message.id === undefined) return;
  const text = process.argv.at(-1).length + ' characters';
  const greeting = { protocolVersion: '2025-06-18', capabilities: { tools: { } }, serverInfo: { name: 'a', version: '1' } };
  const result = message.method === 'initialize' ? greeting
    : message.method === 'tools/list' ? { tools: [ { name: 'length', inputSchema: { type: 'object' } } ] }
    : { content: [ { type: 'text', text } ] };
  console.log(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
});
`;

describe('secrets in the URL and the arguments of an entry', function () {
  this.timeout(240_000); // The cases run a container and many commands.
  let user: WorkloadUser;
  let registry: RegistryUnderTest | undefined;
  let server: Server;
  const received: string[] = [];

  before(async function () {
    const plain = await WorkloadUser.open(this);
    user = await WorkloadUser.at(plain.runtime, { PORTOLAN_SECRETS_PASSWORD: 'a long password' });
    await plain.close();
    server = createServer(async (request, response) => {
      received.push(request.url ?? '');
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
    const remote = (name: string, rest: string) =>
      serverDocument(`dev.acme/${name}`, '1.0.0', {
        remotes: [{ type: 'streamable-http', url: `http://127.0.0.1:${port}${rest}`, variables: KEY }],
      });
    const words = ['node', '-e', PROGRAM, 'x'].map((value) => ({ type: 'positional', value }));
    const argument = { type: 'named', name: '--db', value: 'postgres://u:{key}@db/x', variables: KEY };
    registry = await RegistryUnderTest.start({
      engine: 'SQLite',
      mode: 'anonymous',
      config: {
        sources: [
          inlineSource('main', undefined, [
            remote('query', '/mcp?api_key={key}&x=1'),
            remote('path', '/s/{key}/mcp'),
            serverDocument('dev.acme/argument', '1.0.0', {
              packages: [
                {
                  registryType: 'oci',
                  identifier: 'portolan-test/node',
                  transport: { type: 'stdio' },
                  packageArguments: [...words, argument],
                },
              ],
            }),
          ]),
        ],
        registries: [{ name: 'main', sources: ['main'] }],
      },
    });
    await user.done('config', 'set-registry', `${registry.url}/registry/main`, '--allow-private-ip');
    await user.done('secret', 'provider', 'encrypted');
    await user.portolan(['secret', 'set', 'mine'], { stdin: SECRET });
  });
  after(async () => {
    await user?.close();
    await registry?.close();
    server?.close();
  });

  const showsSecret = (text: string): boolean => SPELLINGS.some((spelling) => text.includes(spelling));

  /** Returns the user's files that contain the secret in plain text. */
  async function filesWithSecret(): Promise<readonly string[]> {
    const entries = await readdir(user.root, { recursive: true, withFileTypes: true });
    const files = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => path.join(parentPath, name));
    const texts = await Promise.all(files.map((file) => readFile(file, 'latin1')));
    return files.filter((_file, index) => showsSecret(texts[index] ?? ''));
  }

  /** Returns the output of commands about a workload. */
  async function shown(name: string): Promise<string> {
    const commands = [
      ['list', '--format', 'json'],
      ['status', name],
      ['export', name, '-'],
      ['logs', name],
      ['logs', name, '--proxy'],
      ['secret', 'list'],
    ];
    const finished: string[] = [];
    for (const command of commands) {
      const { status, stdout, stderr } = await user.portolan(command);
      expect(status, command.join(' ')).to.equal(0);
      finished.push(stdout, stderr);
    }
    return finished.join('\n');
  }

  for (const { title, given } of [
    { title: 'a value that the user types', given: ['-e', `key=${SECRET}`] },
    { title: 'a stored secret', given: ['--secret', 'mine,target=key'] },
  ]) {
    it(`are inserted into the URL of a remote with ${title} (official registry 394)`, async () => {
      for (const name of ['query', 'path']) {
        received.length = 0;
        const planned = await user.portolan(['plan', `dev.acme/${name}`, ...given]);
        expect(planned.stdout).to.include('$(key)');
        const ran = await user.portolan([
          'run',
          `dev.acme/${name}`,
          '--trust',
          '--name',
          `sec-${name}`,
          '--debug',
          ...given,
        ]);
        expect(ran.status, ran.stderr).to.equal(0);
        const url = new URL(received[0] ?? '', 'http://localhost');
        const got =
          name === 'query' ? url.searchParams.get('api_key') : decodeURIComponent(url.pathname.slice(3, -4));
        expect(got).to.equal(SECRET);
        expect(ran.stdout).to.match(/^http:\/\/127\.0\.0\.1:\d+\/mcp\n$/);
        const texts = [
          planned.stdout,
          planned.stderr,
          ran.stdout,
          ran.stderr,
          await shown(`sec-${name}`),
        ].join('\n');
        expect(showsSecret(texts), texts).to.equal(false);
        expect(await filesWithSecret()).to.deep.equal([]);
        await user.done('rm', `sec-${name}`);
      }
    });
  }

  it('are inserted into arguments when the container starts (official registry 614)', async () => {
    const given = ['--secret', 'mine,target=key'];
    const warning =
      'The container engine shows the arguments of a container, with the secrets in $(key), to everybody who may query it.';
    const planned = await user.portolan(['plan', 'dev.acme/argument', ...given, '--format', 'json']);
    expect(JSON.parse(planned.stdout).warnings.filter((text: string) => text === warning)).to.have.length(1);
    const flags = ['--trust', '--name=sec-argument', '--enable-audit', '--debug'];
    const ran = await user.portolan(['run', 'dev.acme/argument', ...flags, ...given]);
    expect(ran.status, ran.stderr).to.equal(0);
    expect(ran.stderr.replaceAll(/\s+/g, ' ').split(warning)).to.have.length(2);
    const called = await user.done('mcp', 'call', 'sec-argument', 'length');
    expect(called).to.include(`${`postgres://u:${SECRET}@db/x`.length} characters`);
    const texts = [planned.stdout, ran.stdout, ran.stderr, await shown('sec-argument')].join('\n');
    expect(texts).to.include('postgres://u:[secret]@db/x').and.include('postgres://u:$(key)@db/x');
    expect(showsSecret(texts), texts).to.equal(false);
    expect(await filesWithSecret()).to.deep.equal([]);
    const [container] = await user.runtime.listContainers({
      'portolan.dev/name': 'sec-argument',
      'portolan.dev/role': 'session',
    });
    expect(container).not.to.equal(undefined);
    await user.done('export', 'sec-argument', 'exported.json');
    await user.done('rm', 'sec-argument');
    const again = await user.portolan(['run', '--from-config', 'exported.json']);
    expect(again.status, again.stderr).to.equal(0);
    expect(again.stderr.replaceAll(/\s+/g, ' ')).to.include(warning);
    expect(await user.done('mcp', 'call', 'sec-argument', 'length')).to.include('characters');
    await user.done('rm', 'sec-argument');
  });
});
