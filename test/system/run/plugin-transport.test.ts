import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { WorkloadUser } from '../../support/workload-user.ts';
import { callTool, connectClient } from '../clients/connect-client.ts';

/** A plugin with a transport of its own: each message on a line behind the word `echo`. */
const PLUGIN = `
export default {
  name: 'echoes', apiVersion: 1,
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

describe('a transport that a plugin brings', function () {
  this.timeout(90_000); // containers
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

  it('is named by --transport, and stands in an exported file', async () => {
    const url = await user.run(...command, ...config, '--transport', 'echoes', '--', 'node', '-e', SERVER);
    await expectEchoes(url);
    await user.done('export', 'cliff', path.join(folder, 'cliff.json'));
    await user.removeAll('cliff');
    await expectEchoes(await user.run(...config, '--from-config', path.join(folder, 'cliff.json')));
    await user.removeAll('cliff');
  });

  it('is named by a registry entry', async () => {
    const entry = {
      name: 'dev.acme/cliff',
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
    };
    const catalogue = {
      version: '1.0.0',
      meta: { last_updated: '2026-01-01T00:00:00Z' },
      data: { servers: [entry] },
    };
    await writeFile(path.join(folder, 'catalogue.json'), JSON.stringify(catalogue));
    await user.done('config', 'set-registry', path.join(folder, 'catalogue.json'));
    await expectEchoes(await user.run('dev.acme/cliff', '--name', 'cliff', ...config));
    await user.done('config', 'unset-registry');
    await user.removeAll('cliff');
  });

  it('is listed where another name is given', async () => {
    const { status, stderr } = await user.portolan(['run', ...command, ...config, '--transport', 'smoke']);
    expect(status).to.equal(2);
    expect(stderr)
      .to.include('"smoke"')
      .and.to.match(/expected .*streamable-http.*echoes/);
    await user.expectNoTraces();
  });
});
