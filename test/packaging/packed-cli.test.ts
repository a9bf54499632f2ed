import { expect } from 'chai';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { build } from '../../scripts/build.ts';
import { packAll } from '../../scripts/pack.ts';
import { run } from '../../scripts/run.ts';
import { RunningPortolan, runPortolan } from '../support/command-line.ts';
import { skipSuite } from '../support/skip-suite.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** What npm says when it cannot reach the registry that third-party packages come from. */
const UNREACHABLE = /\b(ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|ENOTCACHED)\b/;

const CATALOGUE = {
  version: '1.0.0',
  data: {
    servers: [
      {
        $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
        name: 'com.acme/tides',
        description: 'Tide tables.',
        version: '1.0.0',
      },
    ],
  },
};

const CONFIG = `
plugins: [./packed-plugin.mjs]
sources:
  - { name: catalogue, file: { path: ./catalogue.json }, syncPolicy: { interval: 30m } }
registries:
  - { name: main, sources: [catalogue] }
auth: { mode: anonymous }
database: { url: "sqlite::memory:" }
server: { address: "127.0.0.1:0", internalAddress: "127.0.0.1:0" }
`;

const PLUGIN = `
import { API_VERSION } from '@portolan/plugin-api';
export default { name: 'packed-plugin', apiVersion: API_VERSION, apply() {} };
`;

const TYPED_PLUGIN = `
import type { ConfigBlock, Plugin, SourceKind } from '@portolan/plugin-api';
const block = { type: 'object', properties: { space: { type: 'string', default: 'A' } } } as const satisfies ConfigBlock;
const kind: SourceKind<typeof block> = {
  kind: 'wiki', config: block, claimsFrom: 'source',
  create: ({ space }) => ({ async *readEntries() { yield { skipped: space.toUpperCase(), because: 'no page.' }; } }),
};
export default { name: 'wiki', apiVersion: 1, contributes: { sources: [kind] } } satisfies Plugin;
`;

describe('the packed packages', function () {
  this.timeout(180_000); // builds, packs and installs everything once

  let folder: string;
  let launcher: string;
  let tarballs: ReadonlyMap<string, string>;

  before(async function () {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-packed-'));
    await build();
    tarballs = await packAll(path.join(folder, 'tarballs'));
    await writeFile(path.join(folder, 'package.json'), '{ "name": "empty", "private": true }');
    try {
      await run(
        'npm',
        ['install', '--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts', ...tarballs.values()],
        { cwd: folder },
      );
    } catch (error) {
      if (!UNREACHABLE.test(String(error))) throw error;
      skipSuite(this, 'the npm registry cannot be reached, and its cache lacks packages');
    }
    launcher = path.join(folder, 'node_modules/@portolan/cli/bin/portolan.js');
    await writeFile(path.join(folder, 'portolan.config.yaml'), CONFIG);
    await writeFile(path.join(folder, 'packed-plugin.mjs'), PLUGIN);
    await writeFile(path.join(folder, 'catalogue.json'), JSON.stringify(CATALOGUE));
  });

  after(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  it('pass publint', async () => {
    const problems: string[] = [];
    for (const [name, tarball] of tarballs) {
      const file = await readFile(tarball);
      const { messages, pkg } = await publint({
        pack: {
          tarball: file.buffer.slice(file.byteOffset, file.byteOffset + file.byteLength),
        },
      });
      problems.push(
        ...messages.map((message) => `${name}: ${formatMessage(message, pkg ?? {}) ?? message.code}`),
      );
    }
    expect(problems).to.deep.equal([]);
  });

  it('hold no sources, no tests and no condition that leads to sources', async () => {
    for (const [name, tarball] of tarballs) {
      const files = (await run('tar', ['-tzf', tarball])).trim().split('\n');
      expect(files, name).to.include('package/LICENSE').and.to.include('package/README.md');
      expect(
        files.filter((file) => /\/(src|test)\//.test(file) || /(?<!\.d)\.ts$/.test(file)),
        name,
      ).to.deep.equal([]);
      expect(await run('tar', ['-xzOf', tarball, 'package/package.json']), name).not.to.include(
        '@portolan/source"',
      );
    }
  });

  it('print their help and version', async () => {
    const help = await runPortolan(['--help'], { launcher, cwd: folder });
    expect(help).to.include({ status: 0, stderr: '' });
    expect(help.stdout).to.match(/^ {2}serve +/m);
    const version = await runPortolan(['version', '--format', 'json'], { launcher, cwd: folder });
    expect(JSON.parse(version.stdout))
      .to.have.property('version')
      .that.matches(/^\d+\.\d+\.\d+/);
  });

  it('check a configuration that is found from the working directory', async () => {
    const checked = await runPortolan(['config', 'check'], { launcher, cwd: folder });
    expect(checked).to.deep.include({ status: 0, stderr: '' });
    expect(checked.stdout).to.include('portolan.config.yaml');
  });

  it('serve a catalogue', async () => {
    const server = new RunningPortolan(['serve'], { launcher, cwd: folder });
    try {
      const { address } = await server.logged('listening');
      await server.logged('source synced');
      const response = await fetch(`http://${String(address)}/registry/main/v0.1/servers`);
      expect(response.status).to.equal(200);
      expect(JSON.stringify(await response.json())).to.include('com.acme/tides');
    } finally {
      const { status } = await server.stop();
      expect(status).to.equal(0);
    }
  });

  it('type-check a plugin against their declarations', async () => {
    await writeFile(path.join(folder, 'wiki.ts'), TYPED_PLUGIN);
    const tsc = path.join(root, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2024', '--types', 'node'];
    await run(process.execPath, [tsc, ...options, 'wiki.ts'], { cwd: folder });
  });
});
