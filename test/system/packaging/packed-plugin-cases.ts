import { expect } from 'chai';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../../scripts/run.ts';
import { asHere, shownIn } from '../../support/examples/shown-in.ts';
import { foldersBelow } from '../../support/user-folders.ts';
import type { PackedInstallation } from './packed-installation.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/**
 * Steps of the pages that this suite skips: the build has run them, and `npm ci` would delete the packages of
 * this test.
 */
const DONE = /^npm (?:ci|run build)$/;

/** Follows the pages about plugins that use the unpublished packages `@portolan/*`. */
export function packedPluginCases(installation: () => PackedInstallation): void {
  describe('plugins of packed packages', () => {
    let environment: NodeJS.ProcessEnv;
    let plugins: string;

    before(async () => {
      const folder = await installation().write('plugins', {});
      plugins = folder;
      await mkdir(path.join(folder, 'bin'));
      await symlink(installation().launcher, path.join(folder, 'bin/portolan'));
      environment = {
        ...process.env,
        ...foldersBelow(path.join(folder, 'home')),
        npm_config_cache:
          process.env['npm_config_cache'] ?? (await run('npm', ['config', 'get', 'cache'])).trim(),
        npm_config_prefer_offline: 'true',
        // `npm run` passes the setting of this repository on. esbuild has an install script.
        npm_config_strict_allow_scripts: 'false',
        PACKED: path.join(folder, 'packed'),
        PATH: [path.join(folder, 'bin'), path.join(root, 'node_modules/.bin'), process.env['PATH']].join(':'),
      };
    });

    const follow = (commands: string, cwd: string): Promise<string> =>
      run(
        'sh',
        [
          '-euc',
          commands
            .split('\n')
            .filter((line) => cwd !== root || !DONE.test(line))
            .join('\n'),
        ],
        {
          cwd,
          env: environment,
        },
      );

    /** Runs `create-plugin` of a page, and installs the dependencies of the plugin. Returns its folder. */
    const create = async (command: string, name: string): Promise<string> => {
      // The cache belongs to this test, because npm keeps what it executes.
      const cache = path.join(plugins, 'exec-cache');
      const printed = await follow(`export npm_config_cache=${cache}\n${command}`, plugins);
      const expected = await shownIn('docs/extend/create-a-plugin.md', 'created portolan-plugin-wiki');
      expect(printed.split('\n')).to.include.members(
        expected.replaceAll('-wiki', `-${name}`).split('\n').slice(1, -2),
      );
      const install = await shownIn('docs/extend/create-a-plugin.md', 'cd portolan-plugin-wiki\n');
      await follow(asHere(install, { 'cd portolan-plugin-wiki': `cd portolan-plugin-${name}` }), plugins);
      const folder = path.join(plugins, `portolan-plugin-${name}`);
      expect(await readFile(path.join(folder, 'README.md'), 'utf8')).to.include(install.split('\n')[1]);
      return folder;
    };

    it('docs/extend › packs the packages, and creates, tests, packs and installs the source of the guide', async () => {
      const page = 'docs/extend/write-a-source.md';
      await follow(await shownIn('docs/extend/create-a-plugin.md', 'npm ci\nnpm run build'), root);
      const folder = await create(await shownIn('docs/extend/create-a-plugin.md', 'npm exec '), 'wiki');
      const created = await follow(await shownIn('docs/extend/create-a-plugin.md', 'npm test'), folder);
      const [suite = '', ...cases] = (await shownIn('docs/extend/create-a-plugin.md', '  source contract'))
        .trimEnd()
        .split('\n');
      for (const line of [suite, ...cases]) expect(created).to.include(line.trim());
      const files = {
        'src/source.ts': await shownIn(page, 'import type { ConfigBlock, PluginContext, Source,'),
        'test/contract.test.ts': await shownIn(page, 'import { sourceContract }'),
      };
      for (const [file, text] of Object.entries(files)) await writeFile(path.join(folder, file), text);
      expect(await follow(await shownIn('docs/extend/write-a-source.md', 'npm test'), folder))
        .to.match(/^ +[1-9]\d* passing/m)
        .and.not.match(/failing|pending/);
      await follow(await shownIn('docs/extend/publish-a-plugin.md', 'npm run build'), folder);
      const packing = await shownIn('docs/extend/write-a-source.md', 'npm pack\n');
      expect(await shownIn('docs/extend/publish-a-plugin.md', 'npm pack\n')).to.equal(packing);
      const installing = await shownIn('docs/extend/install-a-plugin.md', 'portolan plugins install ./');
      expect(packing).to.include(installing);
      expect(await follow(packing, folder)).to.include(await shownIn(page, 'installed portolan-plugin-wiki'));
      expect(await follow(await shownIn('docs/extend/write-a-source.md', 'portolan kinds'), folder)).to.match(
        /^source +wiki +portolan-plugin-wiki +installed +nothing/m,
      );
      const inspect = await shownIn('docs/extend/publish-a-plugin.md', 'portolan plugins inspect');
      expect(await follow(inspect, folder)).to.include('portolan-plugin-wiki');
    });

    it('docs/extend/add-a-command.md › creates, links and installs the command of the guide', async () => {
      const page = 'docs/extend/add-a-command.md';
      const folder = await create(await shownIn('docs/extend/add-a-command.md', 'npm exec '), 'hello');
      const source = await readFile(path.join(folder, 'src/commands/hello.ts'), 'utf8');
      expect(source).to.include(await shownIn(page, 'import { PortolanError }'));
      const greet = await shownIn('docs/extend/add-a-command.md', 'portolan hello Ada');
      await follow(await shownIn('docs/extend/add-a-command.md', 'npm run build\n'), folder);
      expect(await follow(greet, folder)).to.equal(await shownIn(page, 'Hello, Ada'));
      await follow(await shownIn('docs/extend/add-a-command.md', 'npm pack\n'), folder);
      expect(await follow(greet, folder)).to.equal(await shownIn(page, 'Hello, Ada'));
      expect(await follow('portolan --help', folder)).to.match(/^ +hello +Greet a user/m);
      expect(await follow('portolan hello 2>&1 || test $? = 2', folder)).to.equal(
        await shownIn(page, 'error: Expected one name.'),
      );
      // With flags, of the page's second sample.
      await follow(await shownIn('docs/extend/add-a-command.md', 'npm install @oclif/core'), folder);
      await writeFile(
        path.join(folder, 'src/commands/hello.ts'),
        await shownIn(page, 'import { Args, Command, Flags }'),
      );
      await follow(await shownIn('docs/extend/add-a-command.md', 'npm pack\n'), folder);
      const [words = '', ...printed] = (
        await shownIn('docs/extend/add-a-command.md', '$ portolan hello')
      ).split('\n');
      expect(await follow(words.slice(2), folder)).to.equal(printed.join('\n'));
    });

    it('plugin-testing/README.md › installs the packed files into an empty package', async () => {
      const readme = await readFile(path.join(root, 'packages/plugin-testing/README.md'), 'utf8');
      const folder = await installation().write('plugins/empty', { 'package.json': '{ "type": "module" }' });
      await follow(blockBehind(readme, 'is not published yet', 'sh'), root);
      await follow(blockBehind(readme, 'Then install the packed files', 'sh'), folder);
      const suites =
        "import { sourceContract } from '@portolan/plugin-testing'; console.log(typeof sourceContract);";
      expect(await follow(`node --input-type=module --eval "${suites}"`, folder)).to.equal('function\n');
    });

    it('examples/custom-cli-plugin/README.md › installs what a copy outside of the repository needs to pack the plugin', async () => {
      const example = path.join(root, 'examples/custom-cli-plugin');
      const readme = await readFile(path.join(example, 'README.md'), 'utf8');
      const folder = await installation().write('plugins/copy', {});
      for (const name of ['package.json', 'src'])
        await cp(path.join(example, name), path.join(folder, name), { recursive: true });
      await follow(blockBehind(readme, '## In a copy of your own', 'shell'), root);
      await follow(blockBehind(readme, 'Then install the packed files', 'shell'), folder);
      const printed = await follow(
        'npm pack --silent && portolan plugins install ./portolan-plugin-secret-files-1.0.0.tgz',
        folder,
      );
      expect(printed).to.include('installed portolan-plugin-secret-files 1.0.0');
    });
  });
}

/** Returns the first block of a language behind a text, without the indent of a list. */
function blockBehind(page: string, text: string, language: string): string {
  const start = page.indexOf(text);
  const found = new RegExp(`^( *)\`\`\`${language}\\n([^]*?)^\\1\`\`\`$`, 'm').exec(page.slice(start));
  const [, indent = '', block] = found ?? [];
  if (start < 0 || block === undefined) throw new Error(`the page has no ${language} behind "${text}"`);
  return block.replaceAll(new RegExp(`^${indent}`, 'gm'), '').trim();
}
