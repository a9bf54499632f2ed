import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { checkConfig } from '@portolan/kernel/check-config';
import type { Plugin } from '@portolan/plugin-api';
import { expect } from 'chai';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../../..');

describe('code in docs/plugins.md', function () {
  this.timeout(120_000); // starts the compiler, and the suite of the guide

  let folder = '';
  let guide = '';

  /** The first block of a language behind a text. */
  function blockBehind(text: string, language: string): string {
    const start = guide.indexOf(text);
    const fenced = new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, 'm');
    const block = start < 0 ? undefined : fenced.exec(guide.slice(start))?.[1];
    if (block === undefined) throw new Error(`the guide has no ${language} behind "${text}"`);
    return block;
  }

  before(async () => {
    guide = await readFile(path.join(root, 'docs/plugins.md'), 'utf8');
    folder = await realpath(await mkdtemp(path.join(tmpdir(), 'portolan-plugin-guide-')));
    for (const name of ['src', 'test', 'node_modules/@portolan/plugin-api', 'node_modules/@acme'])
      await mkdir(path.join(folder, name), { recursive: true });
    const files = {
      'src/wiki-source.ts': blockBehind('## A source in one file', 'ts'),
      'package.json': blockBehind('## As a package', 'json'),
      'tsconfig.json': blockBehind('`tsconfig.json` builds', 'json'),
      'test/wiki-source.test.ts': blockBehind('runs the contract suite; Node.js', 'ts'),
    };
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    await installOffline();
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** What `npm install` would bring, from this tree; the contract as it is published: types and JavaScript. */
  async function installOffline(): Promise<void> {
    const modules = path.join(folder, 'node_modules');
    for (const name of ['@types', 'koa', 'mocha', 'tapable', 'typescript'])
      await symlink(path.join(root, 'node_modules', name), path.join(modules, name));
    await symlink(path.join(root, 'packages/plugin-testing'), path.join(modules, '@portolan/plugin-testing'));
    const contract = path.join(modules, '@portolan/plugin-api');
    const source = path.join(root, 'packages/plugin-api/src/index.ts');
    await run(process.execPath, [
      path.join(root, 'node_modules/typescript/bin/tsc'),
      ...DECLARED,
      contract,
      source,
    ]);
    await writeFile(
      path.join(contract, 'index.js'),
      `export * from ${JSON.stringify(pathToFileURL(source).href)};\n`,
    );
    const manifest = {
      name: '@portolan/plugin-api',
      type: 'module',
      exports: { types: './index.d.ts', default: './index.js' },
    };
    await writeFile(path.join(contract, 'package.json'), JSON.stringify(manifest));
  }

  /** Runs a script of the guide's package.json, as npm does. */
  async function script(name: string): Promise<string> {
    const { scripts } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8'));
    const PATH = [path.join(root, 'node_modules/.bin'), process.env['PATH']].join(path.delimiter);
    const env = { ...process.env, PATH, NODE_OPTIONS: '--conditions=@portolan/source' };
    const { stdout } = await run('sh', ['-c', String(scripts[name])], { cwd: folder, env }).catch(
      (error: Error & { readonly stdout?: string }) => {
        throw new Error(`${name} of the guide fails: ${error.stdout}`, { cause: error });
      },
    );
    return stdout;
  }

  it('defines a source that passes the contract tests', async () => {
    const told = await script('test');
    expect(told)
      .to.include('source contract: wiki')
      .and.to.match(/^ +[1-9]\d* passing/m);
    expect(told).not.to.match(/failing|pending/);
  });

  it('makes a package that builds and that a configuration can name', async () => {
    await script('build');
    await symlink(folder, path.join(folder, 'node_modules/@acme/portolan-plugin-wiki'));
    const sources = blockBehind('The configuration names it by path', 'yaml').replace(
      './wiki-source.ts',
      '"@acme/portolan-plugin-wiki"',
    );
    const configFile = path.join(folder, 'portolan.config.yaml');
    await writeFile(
      configFile,
      `${sources}registries: [{ name: main, sources: [handbook] }]\nauth: { mode: open }\n`,
    );
    const { kinds } = await checkConfig({ environment: {}, configFile, pluginObjects: [{ plugin: open }] });
    expect(kinds.sources.get('wiki')?.file).to.equal(path.join(folder, 'dist/wiki-source.js'));
  });
});

/** How the types of the contract are published. */
const DECLARED = [
  '--ignoreConfig',
  '--declaration',
  '--emitDeclarationOnly',
  '--skipLibCheck',
  '--module',
  'nodenext',
  '--target',
  'es2024', // as in the tree
  '--allowImportingTsExtensions',
  '--types',
  'node',
  '--outDir',
];

/** A configuration needs one, and this is not about it. */
const open: Plugin = {
  name: 'open-auth',
  apiVersion: 2,
  contributes: {
    authProviders: [
      {
        kind: 'open',
        hosts: ['registry-server'],
        identifies: false,
        config: { type: 'object', description: 'Everybody.' },
        create: () => ({ verify: (_ctx, next) => next(), identify: () => undefined }),
      },
    ],
  },
};
