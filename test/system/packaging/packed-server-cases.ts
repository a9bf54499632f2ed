import { eventually, startTestIssuer, type TestIssuer } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { type Finished, RunningPortolan, runPortolan } from '../../support/command-line.ts';
import type { PackedInstallation } from './packed-installation.ts';

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';
const TIDES = { $schema: SCHEMA, name: 'com.acme/tides', description: 'Tide tables.', version: '1.0.0' };

const CONFIG = `
plugins: [./plugin.mjs]
sources:
  - { name: catalogue, file: { path: ./catalogue.json }, syncPolicy: { interval: 30m } }
registries:
  - { name: main, sources: [catalogue] }
auth: { mode: anonymous }
database: { url: "sqlite:./registry.db" }
server: { address: "127.0.0.1:0", internalAddress: "127.0.0.1:0" }
`;

/** Plugin that reports the loaded modules on a signal. */
const PLUGIN = `
import { createRequire } from 'node:module';
import { API_VERSION } from '@portolan/plugin-api';
process.on('SIGUSR2', () => {
  const files = Object.keys(createRequire(import.meta.url).cache);
  process.stderr.write(JSON.stringify({ msg: 'loaded', builtins: process.moduleLoadList, files }) + '\\n');
});
export default { name: 'packed-plugin', apiVersion: API_VERSION, apply() {} };
`;

/** Code that a separate thread imports again. */
const SECURED = (issuer: TestIssuer, role: string): string => `
const role: string = ${JSON.stringify(role)};
export default {
  sources: [{ name: 'published', managed: {}, claims: { team: 'maps' } }],
  registries: [{ name: 'main', sources: ['published'], claims: { team: 'maps' } }],
  auth: {
    mode: 'oauth',
    oauth: { providers: [{ name: 'main', issuerUrl: ${JSON.stringify(issuer.issuerUrl)}, audience: 'portolan', allowPrivateIP: true }] },
    claims: { team: '/team' },
    authz: { roles: { [role]: [{ team: 'maps' }] } },
  },
  middleware: { audit: { enabled: true, logFile: './audit.log' } },
  database: { url: 'sqlite:./registry.db' },
  server: { address: '127.0.0.1:0', internalAddress: 'off' },
};
`;

/** Cases that a server of the packed packages and one of the sources have in common. */
export function packedServerCases(installation: () => PackedInstallation): void {
  const serve = (cwd: string): RunningPortolan =>
    new RunningPortolan(['serve'], { launcher: installation().launcher, cwd });

  it('serve a catalogue, and load database clients and libraries only on demand', async () => {
    const catalogue = JSON.stringify({ version: '1.0.0', data: { servers: [TIDES] } });
    const files = { 'portolan.config.yaml': CONFIG, 'plugin.mjs': PLUGIN, 'catalogue.json': catalogue };
    const server = serve(await installation().write('open', files));
    try {
      const { address } = await server.logged('listening');
      await server.logged('source synced');
      const response = await fetch(`http://${String(address)}/registry/main/v0.1/servers`);
      expect(response.status).to.equal(200);
      expect(JSON.stringify(await response.json())).to.include('com.acme/tides');
      server.kill('SIGUSR2');
      const { builtins, files: loaded } = await server.logged('loaded');
      expect(builtins).to.include('NativeModule net');
      expect(builtins).to.not.include('NativeModule internal/deps/undici/undici');
      const early = (loaded as readonly string[]).filter((file) =>
        /\/node_modules\/(?:@oclif|ajv|jwks-rsa|koa|pg|pino|pino-pretty|undici|yaml)\//.test(file),
      );
      expect(early).to.deep.equal([]);
      const openapi = await fetch(`http://${String(address)}/openapi.yaml`);
      expect(await openapi.text()).to.match(/^openapi: /);
    } finally {
      expect(await server.stop()).to.include({ status: 0 });
    }
  });

  describe('with tokens, publishing, an audit log and a configuration in TypeScript', () => {
    let issuer: TestIssuer;
    let folder: string;
    let server: RunningPortolan;
    let url: string;
    const portolan = (...args: readonly string[]): Promise<Finished> =>
      runPortolan(args, { launcher: installation().launcher, cwd: folder, env: { PORTOLAN_URL: url } });
    const publish = (version: string): Promise<Finished> =>
      writeFile(path.join(folder, 'tides.json'), JSON.stringify({ ...TIDES, version })).then(() =>
        portolan('publish', 'tides.json', '--claim', 'team=maps', '--token-file', 'token'),
      );

    before(async () => {
      issuer = await startTestIssuer();
      folder = await installation().write('secured', {
        'portolan.config.ts': SECURED(issuer, 'manageEntries'),
        token: issuer.sign({ sub: 'u-1842', team: 'maps' }),
      });
      server = serve(folder);
      const { address } = await server.logged('listening');
      url = `http://${String(address)}`;
    });
    after(async () => {
      const { status } = await server.stop();
      await issuer.close();
      expect(status).to.equal(0);
    });

    it('publish for an authorized caller, show the entry to that caller, and write an audit line', async () => {
      expect(await publish('1.0.0')).to.deep.include({ status: 0, stderr: '' });
      const list = `${url}/registry/main/v0.1/servers`;
      expect((await fetch(list)).status).to.equal(401);
      const authorization = `Bearer ${await readFile(path.join(folder, 'token'), 'utf8')}`;
      const listed = await fetch(list, { headers: { authorization } });
      expect(await listed.text()).to.include('com.acme/tides');
      await eventually(async () => {
        const audited = await readFile(path.join(folder, 'audit.log'), 'utf8');
        for (const type of ['entry.publish', 'auth.unauthenticated', 'server.list'])
          expect(audited).to.include(`"type":"${type}"`);
      });
    });

    it('explain a token while the server runs', async () => {
      const of = ['--config', 'portolan.config.ts', '--token-file', 'token', '--registry', 'main'];
      const { status, stdout, stderr } = await portolan('claims', 'explain', ...of);
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
      expect(stdout).to.include('manageEntries').and.to.include('u-1842');
    });

    it('apply changed authorization rules on SIGHUP', async () => {
      await writeFile(path.join(folder, 'portolan.config.ts'), SECURED(issuer, 'manageSources'));
      server.kill('SIGHUP');
      await server.logged('applied auth of the configuration');
      const { status, stderr } = await publish('2.0.0');
      expect(status).to.equal(1);
      expect(stderr).to.match(/^error: /);
    });
  });
}
