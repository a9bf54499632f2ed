import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkConfig } from '@portolan/kernel/check-config';
import { API_VERSION } from '@portolan/plugin-api';
import { expect } from 'chai';
import { SHIPPED_FROM, SHIPPED_KINDS } from '../../../packages/cli/src/context/shipped-plugins.ts';
import { PLUGIN_API_VERSION, PLUGIN_KINDS, renderPlugin } from '../../../packages/create-plugin/src/index.ts';
import { run } from '../../../scripts/run.ts';
import { ROOT } from '../../../scripts/workspace-packages.ts';
import { completeConfiguration, variablesOf } from '../../support/complete-configuration.ts';
import { LinkedPlugins } from '../../support/linked-plugin.ts';

const COMPILER = path.join(ROOT, 'node_modules/typescript/bin/tsc');

/** Kinds that the command line contains. */
const SHIPPED = { shipped: SHIPPED_KINDS, shippedFrom: SHIPPED_FROM };

/** Settings that also check the types of tests, which the plugin's own settings exclude. */
const CHECK_ALL = {
  extends: path.join(ROOT, 'tsconfig.json'),
  compilerOptions: { lib: ['es2024', 'esnext.disposable'], rootDir: '/' },
  include: ['*/src', '*/test'],
};

interface TestRun {
  readonly passes: readonly { readonly file: string }[];
  readonly failures: readonly { readonly fullTitle: string; readonly err: { readonly message?: string } }[];
  readonly pending: readonly { readonly fullTitle: string }[];
}

describe('plugins of create-plugin', function () {
  this.timeout(300_000); // The hook starts the compiler and mocha for all kinds at the same time.

  let plugins: LinkedPlugins;
  before(async () => {
    plugins = await LinkedPlugins.open();
    for (const kind of PLUGIN_KINDS) {
      const packageName = packageNameOf(kind.name);
      const files = await renderPlugin({ kind, name: `my-${kind.name}`, packageName });
      await plugins.link(packageName, await plugins.write(kind.name, files));
    }
  });
  after(() => plugins.remove());

  it('declare the current contract version', () => {
    expect(PLUGIN_API_VERSION).to.equal(API_VERSION);
  });

  it('pass the type checks of this repository, tests included', async () => {
    await writeFile(path.join(plugins.folder, 'tsconfig.json'), JSON.stringify(CHECK_ALL));
    await run(process.execPath, [COMPILER, '--project', plugins.folder]);
  });

  it('pass their contract tests', async () => {
    const output = path.join(plugins.folder, 'results.json');
    await plugins.run(
      plugins.folder,
      `mocha --timeout 20000 --reporter json --reporter-option output=${output} '*/test/*.test.ts'`,
    );
    // SAFETY: the JSON reporter of mocha writes this type.
    const { passes, failures, pending } = JSON.parse(await readFile(output, 'utf8')) as TestRun;
    expect({ failures, pending }).to.deep.equal({ failures: [], pending: [] });
    const tested = new Set(passes.map(({ file }) => path.relative(plugins.folder, file).split(path.sep)[0]));
    expect([...tested]).to.have.members(PLUGIN_KINDS.map(({ name }) => name));
  });

  describe('after the build', () => {
    before(async () => {
      // One process runs `tsc` for all plugins, like the script `build` does for each.
      await run(process.execPath, [COMPILER, '--build', ...PLUGIN_KINDS.map(({ name }) => name)], {
        cwd: plugins.folder,
      });
    });

    for (const { name, list } of PLUGIN_KINDS) {
      it(`${name} › can be used by the configuration of its README`, async () => {
        const readme = await readFile(path.join(plugins.folder, name, 'README.md'), 'utf8');
        const plugin = `plugins: ["${packageNameOf(name)}"]\n`;
        const [, shown = plugin] = /```yaml\n(.*?)```/s.exec(readme) ?? [];
        const configFile = path.join(plugins.folder, 'portolan.config.yaml');
        await writeFile(configFile, completeConfiguration(shown));
        const names = Object.keys(variablesOf(shown));
        const environment = Object.fromEntries(names.map((key) => [key, 'a value for this test']));
        const { kinds } = await checkConfig({ environment, configFile, ...SHIPPED });
        if (list === undefined) return;
        const entry = new Map(Object.entries(kinds)).get(list)?.get(`my-${name}`);
        expect(entry?.file).to.equal(path.join(plugins.folder, name, 'dist/index.js'));
      });
    }
  });
});

function packageNameOf(kind: string): string {
  return `portolan-plugin-my-${kind}`;
}
