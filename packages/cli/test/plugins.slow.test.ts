import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Finished, runPortolan } from '../../../test/support/command-line.ts';

const MANIFEST = {
  name: 'acme-portolan-harbour',
  version: '1.2.3',
  type: 'module',
  exports: './index.js',
  files: ['index.js', 'commands'],
  portolan: { plugin: '.', apiVersion: 1 },
  oclif: { commands: './commands' },
};

/** A command without a base class, so that the package needs nothing else. */
const COMMAND = `
export default class Hail {
  static id = 'hail';
  static summary = 'Hail a ship';
  static flags = {};
  static args = {};
  static async run(argv) {
    if (argv[0] === 'nobody') throw Object.assign(new Error('no ship in sight'), { oclif: { exit: 7 }, suggestions: ['wait'] });
    if (argv[0] === 'quiet') throw Object.assign(new Error('EEXIT: 3'), { code: 'EEXIT', oclif: { exit: 3 } });
    process.stdout.write('ahoy ' + argv.join(' ') + '\\n');
    return 5;
  }
}
`;

const KINDS = `
export default {
  name: 'acme-portolan-harbour',
  apiVersion: 1,
  contributes: {
    secretStores: [{ kind: 'harbour', config: { type: 'object', properties: {} }, can: [], create: async () => ({ find: async () => undefined }) }],
  },
};
`;

describe('portolan plugins', function () {
  this.timeout(120_000); // npm packs and installs

  let folder: string;
  let tarball: string;
  const portolan = (...args: readonly string[]): Promise<Finished> =>
    runPortolan(args, {
      cwd: folder,
      env: {
        HOME: folder,
        XDG_DATA_HOME: path.join(folder, 'data'),
        XDG_CONFIG_HOME: path.join(folder, 'config'),
        XDG_CACHE_HOME: path.join(folder, 'cache'),
        npm_config_offline: 'true',
      },
    });

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-plugins-'));
    const source = path.join(folder, 'source');
    await mkdir(path.join(source, 'commands'), { recursive: true });
    await writeFile(path.join(source, 'package.json'), JSON.stringify(MANIFEST));
    await writeFile(path.join(source, 'commands/hail.js'), COMMAND);
    await writeFile(path.join(source, 'index.js'), KINDS);
    await promisify(execFile)('npm', ['pack', '--silent'], { cwd: source });
    const [packed] = (await readdir(source)).filter((file) => file.endsWith('.tgz'));
    tarball = path.join(source, packed ?? 'nothing was packed');
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('install a packed package, whose command and kind are there from then on', async () => {
    const installed = await portolan('plugins', 'install', `file:${tarball}`);
    expect(installed).to.include({ status: 0, stdout: '' });
    expect(await portolan('plugins')).to.include({ status: 0, stdout: 'acme-portolan-harbour 1.2.3\n' });
    expect(await portolan('hail', 'there')).to.include({ status: 0, stdout: 'ahoy there\n' });
    expect(await portolan('plugins', 'list')).to.include({
      status: 0,
      stdout: 'acme-portolan-harbour 1.2.3\n',
    });
    expect((await portolan('--help')).stdout).to.match(/^OTHERS\n {2}hail +Hail a ship$/m);
    const kinds = JSON.parse((await portolan('kinds', '--format', 'json')).stdout) as readonly {
      kind: string;
    }[];
    expect(kinds.find(({ kind }) => kind === 'harbour')).to.include({
      sort: 'secret store',
      plugin: 'acme-portolan-harbour',
      origin: 'installed',
    });
  });

  it('let a command of a plugin end as it wants', async () => {
    expect(await portolan('hail', 'quiet')).to.include({ status: 3, stdout: '', stderr: '' });
    expect(await portolan('hail', 'nobody')).to.include({
      status: 7,
      stderr: 'error: no ship in sight\nhint: wait\n',
    });
  });

  it('take it away again', async () => {
    expect(await portolan('plugins', 'uninstall', 'acme-portolan-harbour')).to.include({ status: 0 });
    const { status, stderr } = await portolan('hail');
    expect(status).to.equal(2);
    expect(stderr).to.include('unknown command "hail"');
  });

  for (const [title, oclif, status] of [
    ['install a package of kinds alone, when it says that it is a plugin', {}, 0],
    ['refuse one that does not', undefined, 1],
  ] as const) {
    it(title, async () => {
      const source = path.join(folder, `kinds-${status}`);
      await mkdir(source);
      const manifest = { ...MANIFEST, name: `acme-kinds-${status}`, files: ['index.js'], oclif };
      await writeFile(path.join(source, 'package.json'), JSON.stringify(manifest));
      await writeFile(path.join(source, 'index.js'), KINDS);
      await promisify(execFile)('npm', ['pack', '--silent'], { cwd: source });
      const [packed = ''] = (await readdir(source)).filter((file) => file.endsWith('.tgz'));
      const installed = await portolan('plugins', 'install', `file:${path.join(source, packed)}`);
      expect(installed.status, installed.stderr).to.equal(status);
      if (status !== 0) expect(installed.stderr).to.include('needs the key "oclif"');
    });
  }

  for (const place of ['file:source/PACKED', './source/PACKED', 'file:./source/PACKED']) {
    it(`install ${place}, which is below the working directory`, async () => {
      const named = place.replace('PACKED', path.basename(tarball));
      const { status, stdout, stderr } = await portolan('plugins', 'install', named, '--verbose');
      expect(status, stderr).to.equal(0);
      expect(stdout).to.equal('');
      expect(stderr).to.include('npm verbose').and.include('installed v1.2.3');
    });
  }

  it('say so when there is nothing to install', async () => {
    const { status, stderr } = await portolan(
      'plugins',
      'install',
      `file:${path.join(folder, 'nowhere.tgz')}`,
    );
    expect(status).to.equal(1);
    expect(stderr).to.match(/^error: /m);
  });
});
