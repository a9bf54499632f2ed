import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { RegistryUnderTest } from '../../support/registry-under-test.ts';
import { WorkloadUser } from '../../support/workload-user.ts';
import { callTool, connectClient } from '../clients/connect-client.ts';

/** Plugin with its own transport: each message is on a line after the word `echo`. */
const PLUGIN = `
export default {
  name: 'echoes', apiVersion: 2,
  contributes: { transports: [{
    kind: 'echoes', carries: 'messages',
    config: { type: 'object', description: 'Messages behind a word.', properties: {} },
    create: () => ({
      carries: 'messages',
      prepareContainer: (spec, { serves }) => ({ ...spec, stdin: serves === 'session' ? 'once' : 'open' }),
      openConnection: (attachment) => ({
        received: lines(attachment.stdout, (line) => line.startsWith('echo ') ? line.slice(5) : undefined),
        logged: lines(attachment.stderr, (line) => line),
        send: (message) => attachment.write(Buffer.from('echo ' + message + '\\n')),
        close: async () => attachment.close(),
      }),
    }),
  }] },
};
async function* lines(stream, read) {
  let rest = '';
  for await (const chunk of stream) {
    const parts = (rest + Buffer.from(chunk).toString('utf8')).split('\\n');
    rest = parts.pop();
    for (const line of parts) { const text = read(line); if (text !== undefined) yield text; }
  }
}
`;

const SERVER = `require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  if (!line.startsWith('echo ')) return;
  const { id, method, params } = JSON.parse(line.slice(5));
  if (id === undefined) return;
  const result = method === 'initialize'
    ? { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'cliff', version: '1' } }
    : method === 'tools/list' ? { tools: [{ name: 'call', inputSchema: { type: 'object' } }] }
    : method === 'tools/call' ? { content: [{ type: 'text', text: 'again: ' + params.arguments.say }] } : {};
  console.log('echo ' + JSON.stringify({ jsonrpc: '2.0', id, result }));
})`;

describe('a transport of a plugin', function () {
  this.timeout(180_000); // The cases run containers.
  const command = ['portolan-test/node', '--name', 'cliff'];
  let user: WorkloadUser;
  let folder: string;
  let config: readonly string[];
  before(async function () {
    user = await WorkloadUser.open(this);
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-echoes-'));
    await writeFile(path.join(folder, 'echoes.mjs'), PLUGIN);
    await writeFile(path.join(folder, 'own.config.yaml'), 'plugins: [./echoes.mjs]\n');
    config = ['--config', path.join(folder, 'own.config.yaml')];
  });
  after(async () => {
    await user?.close();
    if (folder !== undefined) await rm(folder, { recursive: true });
  });

  const expectEchoes = async (url: string): Promise<void> => {
    const client = await connectClient(url);
    try {
      expect(await callTool(client, 'call', { say: 'ahoy' })).to.equal('again: ahoy');
    } finally {
      await client.close();
    }
  };

  it('is selected by --transport, and is part of the export', async () => {
    const url = await user.run(...command, ...config, '--transport', 'echoes', '--', 'node', '-e', SERVER);
    await expectEchoes(url);
    await user.done('export', 'cliff', path.join(folder, 'cliff.json'));
    await user.removeAll('cliff');
    await expectEchoes(await user.run(...config, '--from-config', path.join(folder, 'cliff.json')));
    await user.removeAll('cliff');
  });

  const entry = (name: string) => ({
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name,
    description: 'Answers',
    version: '1.0.0',
    packages: [
      {
        registryType: 'oci',
        identifier: 'portolan-test/node',
        transport: { type: 'echoes' },
        packageArguments: ['node', '-e', SERVER].map((value) => ({ type: 'positional', value })),
      },
    ],
  });
  const plain = {
    name: 'dev.acme/plain',
    description: 'Speaks as the protocol says',
    version: '1.0.0',
    packages: [{ registryType: 'oci', identifier: 'portolan-test/node', transport: { type: 'stdio' } }],
  };
  const writeCatalogue = async () => {
    const catalogue = {
      version: '1.0.0',
      meta: { last_updated: '2026-01-01T00:00:00Z' },
      data: { servers: [entry('dev.acme/cliff'), plain] },
    };
    await writeFile(path.join(folder, 'catalogue.json'), JSON.stringify(catalogue));
  };

  it('is selected by a registry entry', async () => {
    await writeCatalogue();
    await user.done('config', 'set-registry', path.join(folder, 'catalogue.json'));
    await expectEchoes(await user.run('dev.acme/cliff', '--name', 'cliff', ...config));
    await user.done('config', 'unset-registry');
    await user.removeAll('cliff');
  });

  it('is accepted in catalogue and published entries by a registry server with the plugin', async () => {
    await writeCatalogue();
    const registry = await serve(['./echoes.mjs']);
    try {
      const published = await registry.send('POST', '/v1/entries', {
        body: { server: entry('dev.acme/coast') },
      });
      expect(published.status, published.text).to.equal(201);
      await user.done('config', 'set-registry', `${registry.url}/registry/main`, '--allow-private-ip');
      for (const name of ['dev.acme/cliff', 'dev.acme/coast']) {
        await expectEchoes(await user.run(name, '--name', 'cliff', ...config));
        await user.removeAll('cliff');
      }
      await user.done('config', 'unset-registry');
    } finally {
      await registry.close();
    }
  });

  it('is refused in entries by a registry server without the plugin', async () => {
    await writeCatalogue();
    const registry = await serve([]);
    try {
      const published = await registry.send('POST', '/v1/entries', {
        body: { server: entry('dev.acme/coast') },
      });
      expect(published.status).to.equal(400);
      expect(published.text).to.include('packages[0].transport.type');
      const { text } = await registry.send('GET', '/registry/main/v0.1/servers');
      expect(text).to.include('dev.acme/plain').and.not.to.include('dev.acme/cliff');
      const source = (await registry.send('GET', '/v1/sources/file')).text;
      expect(source).to.include('"echoes\\"').and.to.include('packages[0].transport.type');
    } finally {
      await registry.close();
    }
  });

  /**
   * Starts a registry server with a source of the catalogue and a managed source, and waits for the first
   * sync.
   */
  const serve = async (plugins: readonly string[]): Promise<RegistryUnderTest> => {
    const registry = await RegistryUnderTest.start({
      engine: 'SQLite',
      mode: 'anonymous',
      config: {
        plugins: plugins.map((file) => path.join(folder, file)),
        sources: [
          {
            name: 'file',
            file: { path: path.join(folder, 'catalogue.json') },
            syncPolicy: { interval: '1h' },
          },
          { name: 'managed', managed: {} },
        ],
        registries: [{ name: 'main', sources: ['managed', 'file'] }],
      },
    });
    await registry.process.logged('source synced');
    return registry;
  };

  it('is listed in the error about an unknown transport', async () => {
    const { status, stderr } = await user.portolan(['run', ...command, ...config, '--transport', 'smoke']);
    expect(status).to.equal(2);
    expect(stderr)
      .to.include('"smoke"')
      .and.to.match(/expected .*streamable-http.*echoes/);
    await user.expectNoTraces();
  });
});
