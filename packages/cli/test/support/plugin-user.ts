import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { type Finished, runPortolan } from '../../../../test/support/command-line.ts';

/** The package.json of a plugin with a command and kinds. */
export const MANIFEST = {
  name: 'acme-portolan-harbour',
  version: '1.2.3',
  type: 'module',
  exports: './index.js',
  files: ['index.js', 'commands'],
  portolan: { plugin: '.', apiVersion: 2 },
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
    if (argv[0] === 'sharing') {
      const { PortolanError } = await import('@portolan/plugin-api');
      throw new PortolanError('ERR_HARBOUR', 'unavailable', 'the harbour is closed', { hint: 'wait for the tide' });
    }
    if (argv[0] === 'quiet') throw Object.assign(new Error('EEXIT: 3'), { code: 'EEXIT', oclif: { exit: 3 } });
    process.stdout.write('ahoy ' + argv.join(' ') + '\\n');
    return 5;
  }
}
`;

const KINDS = `
export default {
  name: 'acme-portolan-harbour',
  apiVersion: 2,
  contributes: {
    sources: [{ kind: 'quay', config: { type: 'object', properties: {} }, claimsFrom: 'source', create: () => ({ async *readEntries() {} }) }],
    authProviders: [
      { kind: 'pilot', hosts: ['registry-server', 'workload'], identifies: false, config: { type: 'object', properties: {} }, create: () => ({}) },
    ],
    secretStores: [{ kind: 'harbour', config: { type: 'object', properties: {} }, can: [], create: async () => ({ find: async () => undefined }) }],
  },
};
`;

/** A test user with a home and a folder for packages. The caller removes it. */
export class PluginUser {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  static async make(): Promise<PluginUser> {
    return new PluginUser(await mkdtemp(path.join(tmpdir(), 'portolan-plugins-')));
  }

  /** Runs a command. npm asks no package index. */
  readonly portolan = async (...args: readonly string[]): Promise<Finished> => await this.runAs(args, {});

  /** Runs a command with additional variables. */
  readonly runAs = async (
    args: readonly string[],
    env: Readonly<Record<string, string>>,
  ): Promise<Finished> =>
    await runPortolan(args, {
      cwd: this.folder,
      env: {
        HOME: this.folder,
        XDG_DATA_HOME: path.join(this.folder, 'data'),
        XDG_CONFIG_HOME: path.join(this.folder, 'config'),
        XDG_CACHE_HOME: path.join(this.folder, 'cache'),
        npm_config_offline: 'true',
        ...env,
      },
    });

  /** Returns a shell command that leaves a file in the folder. */
  mark(name: string): string {
    return `touch ${path.join(this.folder, name)}`;
  }

  /** Writes a package and returns its folder. */
  async write(name: string, manifest: object): Promise<string> {
    const source = path.join(this.folder, name);
    await mkdir(path.join(source, 'commands'), { recursive: true });
    await writeFile(path.join(source, 'package.json'), JSON.stringify(manifest));
    await writeFile(path.join(source, 'commands/hail.js'), COMMAND);
    await writeFile(path.join(source, 'index.js'), KINDS);
    return source;
  }

  /** Writes and packs a package, and returns the packed file. */
  async pack(name: string, manifest: object): Promise<string> {
    const source = await this.write(name, manifest);
    await promisify(execFile)('npm', ['pack', '--silent', '--ignore-scripts'], { cwd: source });
    const [packed = 'nothing was packed'] = (await readdir(source)).filter((file) => file.endsWith('.tgz'));
    return path.join(source, packed);
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
