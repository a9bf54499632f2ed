import { expect } from 'chai';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { run } from '../../../scripts/run.ts';
import { foldersBelow } from '../../support/user-folders.ts';
import type { PackedInstallation } from './packed-installation.ts';

const root = path.resolve(import.meta.dirname, '../../..');

/** Steps of the pages that this suite skips: its build has run them, and `npm ci` would delete the packages of this test. */
const DONE = /^npm (?:ci|run build)$/;

/** Follows the pages about how a plugin gets the unpublished packages `@portolan/*`. */
export function packedPluginCases(installation: () => PackedInstallation): void {
  describe('plugins of packed packages', () => {
    let environment: NodeJS.ProcessEnv;
    let guide: string;

    before(async () => {
      const folder = await installation().write('plugins', {});
      await mkdir(path.join(folder, 'bin'));
      await symlink(installation().launcher, path.join(folder, 'bin/portolan'));
      environment = {
        ...process.env,
        ...foldersBelow(path.join(folder, 'home')),
        npm_config_cache:
          process.env['npm_config_cache'] ?? (await run('npm', ['config', 'get', 'cache'])).trim(),
        npm_config_prefer_offline: 'true',
        // `npm run` hands on the setting of this repository; esbuild has an install script.
        npm_config_strict_allow_scripts: 'false',
        PACKED: path.join(folder, 'packed'),
        PATH: [path.join(folder, 'bin'), path.join(root, 'node_modules/.bin'), process.env['PATH']].join(':'),
      };
      guide = await readFile(path.join(root, 'docs/plugins.md'), 'utf8');
    });

    const follow = (commands: string, cwd: string): Promise<string> =>
      run(
        'sh',
        [
          '-euc',
          commands
            .split('\n')
            .filter((line) => !DONE.test(line))
            .join('\n'),
        ],
        {
          cwd,
          env: environment,
        },
      );

    it('docs/plugins.md › packs the packages, and tests, packs and installs the plugin of the guide', async () => {
      const folder = await installation().write('plugins/wiki', {
        'package.json': blockBehind(guide, '## As a package', 'json'),
        'tsconfig.json': blockBehind(guide, '`tsconfig.json` builds', 'json'),
      });
      const files = {
        'src/wiki-source.ts': blockBehind(guide, '## A source in one file', 'ts'),
        'test/wiki-source.test.ts': blockBehind(guide, 'runs the contract suite; Node.js', 'ts'),
      };
      for (const [file, text] of Object.entries(files)) {
        await mkdir(path.join(folder, path.dirname(file)));
        await writeFile(path.join(folder, file), text);
      }
      await follow(blockBehind(guide, '1. In the checkout', 'sh'), root);
      await follow(blockBehind(guide, '2. In the folder of the plugin', 'sh'), folder);
      const printed = await follow(blockBehind(guide, '### Test, pack and install', 'sh'), folder);
      expect(printed)
        .to.match(/^ +[1-9]\d* passing/m)
        .and.match(/^installed @acme\/portolan-plugin-wiki 1\.0\.0$/m)
        .and.not.match(/failing|pending/);
      expect(await follow('portolan kinds', folder)).to.match(
        /^source +wiki +wiki-source +installed +nothing/m,
      );
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
