import { randomUUID } from 'node:crypto';
import { cp, mkdir, readdir } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { run } from '../../../scripts/run.ts';
import { asHere, shownIn } from '../../support/examples/shown-in.ts';
import { RunningPortolan } from '../../support/command-line.ts';
import { skipSuite, skipTest } from '../../support/skip-suite.ts';
import { type PackedInstallation, UNREACHABLE } from './packed-installation.ts';

/** The oldest version of each line that `engines` accepts. */
const NODE_VERSIONS = ['22.22.2', '24.15.0', '26.0.0'];

const CONFIG = `
sources:
  - { name: catalogue, file: { path: ./catalogue.json }, syncPolicy: { interval: 30m } }
registries:
  - { name: main, sources: [catalogue] }
auth: { mode: anonymous }
database: { url: "sqlite:./registry.db" }
server: { address: "127.0.0.1:8080", internalAddress: "off" }
`;

const CATALOGUE = JSON.stringify({
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
});

/** Starts the server in the container, reads the list of registries once it listens, and ends it. */
const READ_REGISTRIES = `
import { spawn } from 'node:child_process';
const server = spawn('portolan', ['serve'], { stdio: ['ignore', 'inherit', 'pipe'] });
let log = '';
for await (const text of server.stderr.setEncoding('utf8')) {
  log += text;
  if (!log.includes('"msg":"listening"')) continue;
  console.log(await (await fetch('http://127.0.0.1:8080/registry')).text());
  server.kill();
  break;
}
if (!log.includes('"msg":"listening"')) console.error(log);
`;

/** Follows the install page with the packed files, and starts the result on each supported Node.js and on a bare Debian. */
export function packedInstallCases(installation: () => PackedInstallation): void {
  describe('installed as docs/get-started/install.md says', () => {
    let folder: string;
    let prefix: string;
    let environment: NodeJS.ProcessEnv;
    let version: string;

    before(async () => {
      folder = await installation().write('installed', {
        'portolan.config.yaml': CONFIG,
        'catalogue.json': CATALOGUE,
      });
      prefix = path.join(folder, 'prefix');
      // Some versions of npm require that the folder exists, as the one of a user does.
      await mkdir(path.join(prefix, 'lib'), { recursive: true });
      const tarballs = [...installation().tarballs.values()];
      await mkdir(path.join(folder, 'dist'));
      for (const file of tarballs) await cp(file, path.join(folder, 'dist', path.basename(file)));
      [, version = ''] = /-(\d+\.\d+\.\d+)\.tgz$/.exec(tarballs[0] ?? '') ?? [];
      environment = {
        ...process.env,
        npm_config_prefix: prefix,
        npm_config_prefer_offline: 'true',
        npm_config_audit: 'false',
        npm_config_fund: 'false',
        PATH: [path.join(prefix, 'bin'), process.env['PATH']].join(':'),
      };
      await follow(await shownIn('docs/get-started/install.md', 'npm install --global '));
    });

    const follow = (commands: string): Promise<string> =>
      run('sh', ['-euc', commands], { cwd: folder, env: environment });

    it('npm › prints the version', async () => {
      const [command = ''] = (await shownIn('docs/get-started/install.md', 'portolan --version\n')).split(
        '\n',
      );
      expect(await follow(command)).to.include(`portolan ${version}`);
    });

    it('npx › runs the packed files without an installation', async () => {
      const cache = environment['npm_config_cache'] ?? (await run('npm', ['config', 'get', 'cache'])).trim();
      const printed = await run('sh', ['-euc', await shownIn('docs/get-started/install.md', 'npx --yes ')], {
        cwd: folder,
        // `npm run` passes the settings of this repository on.
        env: { ...environment, PATH: process.env['PATH'], npm_config_cache: cache },
      });
      expect(printed).to.include(`portolan ${version}`);
    });

    for (const node of NODE_VERSIONS) {
      it(`Node.js ${node} › runs the command line and serves a registry`, async function () {
        const program = await installNode(installation(), node);
        if (program === undefined) skipTest(this, `npm has no Node.js ${node} for this machine`);
        const launcher = path.join(prefix, 'lib/node_modules/@portolan/cli/bin/portolan.js');
        expect(await run(program, [launcher, 'version'])).to.include(`v${node}`);
        expect(await run(program, [launcher, 'config', 'check'], { cwd: folder })).to.include(
          'portolan.config.yaml',
        );
        const options = { launcher, node: program, cwd: folder };
        const running = new RunningPortolan(['serve', '--address', '127.0.0.1:0'], options);
        try {
          const { address } = await running.logged('listening');
          await eventually(async () => {
            const response = await fetch(`http://${String(address)}/registry/main/v0.1/servers`);
            expect(await response.text()).to.include('com.acme/tides');
          });
        } finally {
          expect((await running.stop()).status).to.equal(0);
        }
      });
    }

    describe('on a bare Debian', () => {
      before(async function () {
        await run('docker', ['image', 'inspect', 'portolan-test/debian']).catch(() =>
          skipSuite(this, 'no container engine with the image portolan-test/debian'),
        );
      });

      it('checks a configuration and serves a registry with nothing but Node.js', async () => {
        const name = `portolan-test-debian-${randomUUID()}`;
        const script =
          'cd /tmp && cp /config/* . && portolan --version && portolan config check && node --input-type=module --eval "$READ"';
        try {
          const config = await installation().write('installed/config', {
            'portolan.config.yaml': CONFIG,
            'catalogue.json': CATALOGUE,
          });
          const mounts = [
            `${prefix}:/usr/local/portolan:ro`,
            `${process.execPath}:/usr/local/bin/node:ro`,
            `${config}:/config:ro`,
          ];
          const variables = [
            'PATH=/usr/local/portolan/bin:/usr/local/bin:/usr/bin:/bin',
            'PORTOLAN_LOG_FORMAT=json',
            `READ=${READ_REGISTRIES}`,
          ];
          const options = [
            '--rm',
            '--name',
            name,
            '--label',
            'portolan.dev/test=install',
            '--network',
            'none',
          ];
          options.push(...mounts.flatMap((mount) => ['--volume', mount]));
          options.push(...variables.flatMap((variable) => ['--env', variable]));
          const printed = await run('docker', [
            'run',
            ...options,
            'portolan-test/debian',
            'sh',
            '-euc',
            script,
          ]);
          expect(printed).to.include(`portolan ${version}`).and.to.include('"name":"main"');
        } finally {
          // The container removes itself unless this test was interrupted.
          await run('docker', ['rm', '--force', '--volumes', name]).catch(() => '');
        }
      });
    });

    describe('removed', () => {
      it('leaves no program and no package', async () => {
        const commands = await shownIn('docs/get-started/install.md', 'portolan rm --all\n');
        await follow(asHere(commands, { 'portolan rm --all\n': '' }));
        const modules = path.join(prefix, 'lib/node_modules');
        const left = [
          ...(await readdir(path.join(prefix, 'bin'))),
          ...(await readdir(modules)).filter((name) => name !== '@portolan'),
          ...(await readdir(path.join(modules, '@portolan')).catch(() => [])),
        ];
        expect(left).to.deep.equal([]);
      });
    });
  });
}

/** Installs a version of Node.js from npm and returns its program; undefined when npm has none for this machine. */
async function installNode(installation: PackedInstallation, version: string): Promise<string | undefined> {
  const folder = await installation.write(`node-${version}`, { 'package.json': '{ "private": true }' });
  const name = `node-${process.platform}-${process.arch}`;
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--ignore-scripts'];
  try {
    await run('npm', ['install', ...options, `${name}@${version}`], { cwd: folder });
  } catch (error) {
    if (UNREACHABLE.test(String(error)) || /E404|ETARGET/.test(String(error))) return undefined;
    throw error;
  }
  return path.join(folder, 'node_modules', name, 'bin/node');
}
