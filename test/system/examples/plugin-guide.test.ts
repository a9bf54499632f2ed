import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { checkConfig } from '@portolan/kernel/check-config';
import { API_VERSION, type Plugin } from '@portolan/plugin-api';
import { expect } from 'chai';
import { PLUGIN_KINDS, renderPlugin } from '../../../packages/create-plugin/src/index.ts';
import { shownIn } from '../../support/examples/shown-in.ts';
import { LinkedPlugins } from '../../support/linked-plugin.ts';

describe('code in docs/extend/write-a-source.md', function () {
  this.timeout(120_000); // The cases start the compiler and the tests of the guide.

  let plugins: LinkedPlugins;
  let folder = '';

  before(async () => {
    plugins = await LinkedPlugins.open();
    const kind = PLUGIN_KINDS.find(({ name }) => name === 'source');
    if (kind === undefined) throw new Error('create-plugin has no kind "source"');
    const created = await renderPlugin({ kind, name: 'wiki', packageName: 'portolan-plugin-wiki' });
    const page = 'docs/extend/write-a-source.md';
    const changed = new Map([
      ...created,
      ['src/source.ts', await shownIn(page, 'import type { ConfigBlock, PluginContext, Source,')],
      ['test/contract.test.ts', await shownIn(page, 'import { sourceContract }')],
    ]);
    folder = await plugins.write('portolan-plugin-wiki', changed);
    await plugins.link('portolan-plugin-wiki', folder);
  });
  after(() => plugins.remove());

  it('defines a source that passes the contract tests', async () => {
    const printed = await plugins.runScript(folder, 'test');
    expect(printed)
      .to.include('source contract: wiki')
      .and.to.match(/^ +[1-9]\d* passing/m);
    expect(printed).not.to.match(/failing|pending/);
  });

  it('makes a package that builds and that a configuration can name', async () => {
    await plugins.runScript(folder, 'build');
    const shown = await shownIn('docs/extend/write-a-source.md', 'plugins:\n  - portolan-plugin-wiki');
    const configFile = path.join(plugins.folder, 'portolan.config.yaml');
    await writeFile(configFile, shown);
    const { kinds } = await checkConfig({
      environment: {},
      configFile,
      pluginObjects: [{ plugin: anonymous }],
    });
    expect(kinds.sources.get('wiki')?.file).to.equal(path.join(folder, 'dist/index.js'));
  });
});

/** The plugin of `auth: { mode: anonymous }`, which the kernel alone does not have. */
const anonymous: Plugin = {
  name: 'anonymous-auth',
  apiVersion: API_VERSION,
  contributes: {
    authProviders: [
      {
        kind: 'anonymous',
        hosts: ['registry-server'],
        identifies: false,
        config: { type: 'object', description: 'Accepts every request.' },
        create: () => ({ verify: (_ctx, next) => next(), identify: () => undefined }),
      },
    ],
  },
};
