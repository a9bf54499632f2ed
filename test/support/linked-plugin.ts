import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '../..');

/** Arguments that write the types of the contract as they are published. */
const EMIT_TYPES = [
  '--ignoreConfig',
  '--declaration',
  '--emitDeclarationOnly',
  '--skipLibCheck',
  '--module',
  'nodenext',
  '--target',
  'es2024', // The same arguments as in the build.
  '--allowImportingTsExtensions',
  '--types',
  'node',
  '--outDir',
];

/** A folder for plugins, whose `node_modules` contains what `npm install` would install. */
export class LinkedPlugins {
  readonly folder: string;

  private constructor(folder: string) {
    this.folder = folder;
  }

  /** Links the packages of this tree. `@portolan/plugin-api` has the published form: types and JavaScript. */
  static async open(): Promise<LinkedPlugins> {
    const folder = await realpath(await mkdtemp(path.join(tmpdir(), 'portolan-plugins-')));
    const modules = path.join(folder, 'node_modules');
    const contract = path.join(modules, '@portolan/plugin-api');
    await mkdir(contract, { recursive: true });
    for (const name of ['@types', 'koa', 'mocha', 'tapable', 'typescript'])
      await symlink(path.join(ROOT, 'node_modules', name), path.join(modules, name));
    await symlink(path.join(ROOT, 'packages/plugin-testing'), path.join(modules, '@portolan/plugin-testing'));
    const source = path.join(ROOT, 'packages/plugin-api/src/index.ts');
    const compiler = path.join(ROOT, 'node_modules/typescript/bin/tsc');
    await run(process.execPath, [compiler, ...EMIT_TYPES, contract, source]);
    const code = `export * from ${JSON.stringify(pathToFileURL(source).href)};\n`;
    await writeFile(path.join(contract, 'index.js'), code);
    const exports = { types: './index.d.ts', default: './index.js' };
    const manifest = { name: '@portolan/plugin-api', type: 'module', exports };
    await writeFile(path.join(contract, 'package.json'), JSON.stringify(manifest));
    return new LinkedPlugins(folder);
  }

  /** Writes the files of a plugin, and returns its folder. */
  async write(name: string, files: ReadonlyMap<string, string>): Promise<string> {
    const folder = path.join(this.folder, name);
    for (const [file, text] of files) {
      const target = path.join(folder, file);
      await mkdir(path.dirname(target), { recursive: true });
      await writeFile(target, text);
    }
    return folder;
  }

  /** Makes a plugin importable by its package name. */
  async link(packageName: string, folder: string): Promise<void> {
    const target = path.join(this.folder, 'node_modules', packageName);
    await mkdir(path.dirname(target), { recursive: true });
    await symlink(folder, target);
  }

  /** Runs a script of a plugin's manifest, as npm does, and returns its output. Throws with the output of a failure. */
  async runScript(folder: string, name: string): Promise<string> {
    const { scripts } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
    return await this.run(folder, String(scripts[name]));
  }

  /** Runs a shell command with the programs of this tree. */
  async run(folder: string, command: string): Promise<string> {
    const PATH = [path.join(ROOT, 'node_modules/.bin'), process.env['PATH']].join(path.delimiter);
    const env = { ...process.env, PATH, NODE_OPTIONS: '--conditions=@portolan/source' };
    const { stdout } = await run('sh', ['-c', command], { cwd: folder, env }).catch(
      (error: Error & { readonly stdout?: string }) => {
        throw new Error(`${command} fails: ${error.stdout}`, { cause: error });
      },
    );
    return stdout;
  }

  async remove(): Promise<void> {
    await rm(this.folder, { recursive: true, force: true });
  }
}
