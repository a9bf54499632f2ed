import { expect } from 'chai';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const LAUNCHER = path.resolve(import.meta.dirname, '../bin/portolan.js');

interface Ended {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

describe('bin/portolan.js as an installed command', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-launcher-'));
    await mkdir(path.join(folder, 'bin'));
    await symlink(LAUNCHER, path.join(folder, 'bin', 'portolan'));
    await writeFile(path.join(folder, 'host.cjs'), `console.error('ran on the host');\n`);
    await writeFile(
      path.join(folder, 'server.env'),
      `NODE_OPTIONS=--require ${path.join(folder, 'host.cjs')}\nREGION=eu\n`,
    );
  });

  after(() => rm(folder, { recursive: true, force: true }));

  async function portolan(...args: readonly string[]): Promise<Ended> {
    const env = {
      PATH: [path.join(folder, 'bin'), path.dirname(process.execPath), process.env['PATH']].join(
        path.delimiter,
      ),
      HOME: folder,
      PORTOLAN_DEFAULT_REGISTRY: 'off',
    };
    return await new Promise((resolve) => {
      execFile('portolan', args, { cwd: folder, env }, (error, stdout, stderr) => {
        resolve({ status: error === null ? 0 : Number(error.code), stdout, stderr });
      });
    });
  }

  it('passes arguments unchanged, with any special characters', async () => {
    const { status, stderr } = await portolan('claims', 'a b', '$(id)', '*');
    expect(status).to.equal(2);
    expect(stderr).to.include('a b').and.not.include('uid=');
  });

  it('tells the user of an old Node.js which version it needs, and where a checkout has it', async () => {
    const older =
      'Object.defineProperty(process, "versions", { value: { ...process.versions, node: "20.20.2" } })';
    const args = ['--import', `data:text/javascript,${encodeURIComponent(older)}`, LAUNCHER, 'list'];
    const { status, stderr } = await new Promise<{ status: unknown; stderr: string }>((resolve) => {
      execFile(
        process.execPath,
        args,
        { cwd: folder, env: { HOME: folder, PORTOLAN_DEFAULT_REGISTRY: 'off' } },
        (error, _stdout, written) => {
          resolve({ status: error?.code, stderr: written });
        },
      );
    });
    expect(status, stderr).to.equal(1);
    expect(stderr)
      .to.include('portolan needs Node.js 22.22.2 or newer')
      .and.include('node_modules/.bin of the checkout');
  });

  it('runs no code that environment variables of a workload name', async () => {
    const args = ['plan', 'npx://acme-notes@1.0.0', '--env-file', 'server.env', '--format', 'json'];
    const { status, stdout, stderr } = await portolan(...args);
    expect(stderr).to.not.include('ran on the host');
    expect(status, stderr).to.equal(0);
    expect(stdout).to.include('NODE_OPTIONS').and.to.include('REGION');
  });

  it('configures the C library and V8 for the long-running server only', async () => {
    const told = path.join(folder, 'told');
    await mkdir(told);
    const text = '#!/bin/sh\necho "$MALLOC_ARENA_MAX $MALLOC_TRIM_THRESHOLD_ $*"\n';
    await writeFile(path.join(told, 'node'), text, { mode: 0o755 });
    const start = (command: string, variables: Readonly<Record<string, string>> = {}) => {
      const env = {
        PATH: [told, process.env['PATH']].join(path.delimiter),
        PORTOLAN_DEFAULT_REGISTRY: 'off',
        ...variables,
      };
      return new Promise((resolve) => {
        execFile(LAUNCHER, [command], { env }, (_error, stdout) =>
          resolve(stdout.replace(LAUNCHER, 'portolan').trim()),
        );
      });
    };
    const words = '--v8-pool-size=1 --min-semi-space-size=2 -- portolan serve';
    expect(await start('serve')).to.equal(`1 131072 ${words}`);
    expect(await start('serve', { MALLOC_ARENA_MAX: '4' }), 'said by somebody').to.equal(`4 131072 ${words}`);
    expect(await start('run')).to.equal('-- portolan run');
  });

  const STAYING = [
    ['serve', '--help'],
    ['logs', '--help'],
    ['run', 'weather', '--foreground', '--help'],
    ['start', '-f', '--help'],
    ['restart', '-f', '--help'],
  ];
  const ENDING = [
    ['list', '--help'],
    ['run', 'weather', '--help'],
    ['start', 'foreground', '--help'],
    ['run', '--help', '--', '--foreground', '-f'],
  ];
  const flagsOf = async (words: readonly string[]): Promise<string> => {
    const telling =
      'import v8 from "node:v8"; const set = v8.setFlagsFromString; ' +
      'v8.setFlagsFromString = (flag) => { console.error("V8 " + flag); set(flag); };';
    const args = ['--import', `data:text/javascript,${encodeURIComponent(telling)}`, LAUNCHER, ...words];
    const env = { HOME: folder, PORTOLAN_DEFAULT_REGISTRY: 'off' };
    return await new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: folder, env }, (_error, _stdout, stderr) => resolve(stderr));
    });
  };
  for (const words of STAYING) {
    it(`limits the growth of the heap for ${words.join(' ')}`, async () => {
      expect(await flagsOf(words)).to.include('V8 --semi-space-growth-factor=1\n');
    });
  }
  for (const words of ENDING) {
    it(`leaves V8 unchanged for the short command ${words.join(' ')}`, async () => {
      expect(await flagsOf(words)).to.not.include('V8 ');
    });
  }

  it('starts no supervisor when the command line is invalid', async () => {
    const { status, stderr } = await portolan('run', 'npx://acme-notes@1.0.0', '--nmae', 'notes');
    expect(status).to.equal(2);
    expect(stderr).to.include('--nmae');
    // A supervisor has a log file.
    expect(existsSync(path.join(folder, '.local/share/portolan/logs'))).to.equal(false);
  });

  it('reports a missing file of --env-file itself, instead of Node.js', async () => {
    const { status, stderr } = await portolan('run', 'npx://acme-notes@1.0.0', '--env-file', 'missing.env');
    expect(status).to.equal(2);
    expect(stderr).to.match(/^error: --env-file: Cannot read .*missing\.env/m);
  });

  for (const args of [['kinds'], ['serve', '--help'], ['kinds', '--help']]) {
    it(`prints no error when the reader of "portolan ${args.join(' ')}" leaves, as head does`, async () => {
      const child = spawn(process.execPath, [LAUNCHER, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
      child.stdout.destroy();
      let stderr = '';
      child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
      const [status] = await once(child, 'close');
      expect({ status, stderr }).to.deep.equal({ status: 0, stderr: '' });
    });
  }
});
