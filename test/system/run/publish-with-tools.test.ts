import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { EVERYTHING } from '../../../packages/proxy/test/support/everything.ts';
import { type Finished, runPortolan } from '../../support/command-line.ts';
import { RegistryInProcess } from '../../support/registry-in-process.ts';
import { endWorkloads, foldersBelow } from '../../support/user-folders.ts';

const IMAGE = 'acme/everything:1';
const PUBLISHER = 'io.modelcontextprotocol.registry/publisher-provided';
const LIMIT = 2000;

interface Definitions {
  readonly server: { readonly name: string; readonly capabilities: object; readonly instructions: string };
  readonly tools: readonly { readonly name: string; readonly inputSchema: object }[];
  readonly prompts: readonly object[];
  readonly resourceTemplates: readonly object[];
}

const entry = (version: string): object => ({
  $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  name: 'com.acme/everything',
  description: 'Has a tool of each kind.',
  version,
});

function registryWith(settings: object = {}): Promise<RegistryInProcess> {
  return RegistryInProcess.start({
    sources: [{ name: 'published', managed: {} }],
    registries: [{ name: 'main', sources: ['published'] }],
    ...settings,
  });
}

describe('portolan publish --with-tools', function () {
  this.timeout(180_000); // Each case starts processes.
  let root: string;
  let environment: Readonly<Record<string, string>>;
  let registry: RegistryInProcess;

  before(async () => {
    root = await mkdtemp(path.join(tmpdir(), 'portolan-with-tools-'));
    await mkdir(path.join(root, 'run'), { mode: 0o700 });
    const host = path.resolve(import.meta.dirname, '../../support/process-host/index.ts');
    const programs = { [IMAGE]: [process.execPath, EVERYTHING] };
    const runtimes = { processes: { folder: path.join(root, 'servers'), programs } };
    const file = path.join(root, 'portolan.json');
    await writeFile(file, JSON.stringify({ plugins: [host], runtimes }));
    registry = await registryWith();
    environment = {
      ...foldersBelow(root),
      PORTOLAN_CONFIG: file,
      PORTOLAN_RUNTIME: 'processes',
      PORTOLAN_URL: registry.url,
    };
    const started = await portolan(
      'run',
      '--isolate-network=false',
      '--name=demo',
      '--transport=stdio',
      '--tools=echo',
      IMAGE,
      '--',
      'stdio',
    );
    expect(started.status, started.stderr).to.equal(0);
    for (const version of ['1.0.0', '2.0.0', '3.0.0'])
      await writeFile(path.join(root, `${version}.json`), JSON.stringify(entry(version)));
  });
  after(async () => {
    await registry?.stop();
    await endWorkloads(root, environment);
    await rm(root, { recursive: true, force: true });
  });

  const portolan = async (...args: readonly string[]): Promise<Finished> =>
    await runPortolan(args, { cwd: root, env: environment });
  const versionOf = async (version: string) =>
    await registry.send('GET', `/registry/main/v0.1/servers/com.acme%2Feverything/versions/${version}`);

  it('publish --with-tools › publishes the lists as the server sends them, before the tool filter', async () => {
    const { status, stdout, stderr } = await portolan('publish', '1.0.0.json', '--with-tools', 'demo');
    expect(status, stderr).to.equal(0);
    expect(stdout).to.equal('published  server com.acme/everything 1.0.0\n');
    expect(stderr).to.match(/^definitions of demo: \d+ tools, \d+ prompts, \d+ templates; [\d,]+ bytes$/m);
    const { body } = await versionOf('1.0.0');
    // SAFETY: the entry was published with the definitions.
    const meta = Object(Object(body)['server'])['_meta'] as Record<
      string,
      Record<string, { definitions: Definitions }>
    >;
    const definitions = meta[PUBLISHER]?.['dev.portolan']?.definitions;
    const names = definitions?.tools.map(({ name }) => name);
    expect(names).to.include.members(['echo', 'get-sum']);
    expect(definitions?.tools[0]?.inputSchema).to.be.an('object');
    expect(definitions?.prompts).to.not.be.empty;
    expect(definitions?.resourceTemplates).to.not.be.empty;
    expect(definitions?.server.capabilities).to.include.keys('tools', 'prompts');
  });

  it('publish --with-tools › leads to no difference when the same server is published again', async () => {
    await portolan('publish', '2.0.0.json', '--with-tools', 'demo');
    const changes = await registry.send(
      'GET',
      '/registry/main/v0.1/x/dev.portolan/servers/com.acme%2Feverything/versions/2.0.0/changes?from=1.0.0',
    );
    expect(changes.body).to.deep.include({
      compared: ['tools', 'prompts', 'templates', 'server'],
      class: 'none',
      differences: [],
    });
  });

  it('publish --with-tools --dry-run › validates the entry and stores nothing', async () => {
    const { status, stdout } = await portolan('publish', '3.0.0.json', '--with-tools=demo', '--dry-run');
    expect({ status, stdout }).to.deep.equal({
      status: 0,
      stdout: 'valid  server com.acme/everything 3.0.0\n',
    });
    expect((await versionOf('3.0.0')).status).to.equal(404);
  });

  it('publish --with-tools › explains that the entry exceeds the limit of the registry', async () => {
    const small = await registryWith({ database: { url: 'sqlite::memory:', maxMetaSize: LIMIT } });
    try {
      const refused = await portolan('publish', '3.0.0.json', '--with-tools=demo', '--url', small.url);
      expect(refused.status).to.equal(1);
      expect(refused.stderr)
        .to.match(new RegExp(`found \\d+ bytes of JSON; expected at most ${LIMIT}`))
        .and.include('database.maxMetaSize');
    } finally {
      await small.stop();
    }
  });

  for (const { title, args, status, text } of [
    {
      title: 'a workload that does not exist',
      args: ['3.0.0.json', '--with-tools=none'],
      status: 1,
      text: 'none',
    },
    {
      title: 'a skill',
      args: ['3.0.0.json', '--type=skill', '--with-tools=demo'],
      status: 2,
      text: '--with-tools: found a file that is not one server',
    },
  ])
    it(`publish --with-tools › fails and publishes nothing for ${title}`, async () => {
      const failed = await portolan('publish', ...args);
      expect(failed.stderr).to.include(text);
      expect(failed).to.include({ status, stdout: '' });
      expect((await versionOf('3.0.0')).status).to.equal(404);
    });

  it('publish --with-tools › refuses a workload that is stopped, and does not start it', async () => {
    expect((await portolan('stop', 'demo')).status).to.equal(0);
    const refused = await portolan('publish', '3.0.0.json', '--with-tools=demo');
    expect(refused.stderr).to.include('is not running').and.include('portolan start demo');
    const listed = await portolan('list', '--all', '--format', 'json');
    expect(JSON.parse(listed.stdout)[0]).to.include({ name: 'demo', status: 'stopped' });
  });
});
