import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect } from 'chai';
import type { BootOptions } from '../../src/index.ts';
import { bootKernel } from '../../src/server/boot.ts';
import { bootOptions, errorOf, FIXTURES, Folders, smallConfig, withKernel } from '../support/test-context.ts';

describe('plugins of a configuration', () => {
  const folders = new Folders();
  afterEach(() => folders.removeAll());

  const wikiOf = async (options: BootOptions): Promise<string | undefined> =>
    await withKernel(options, ({ kinds }) => kinds.sources.get('wiki')?.plugin);

  const packages = join(FIXTURES, 'packages');
  const cases = [
    { title: 'the path of a file', use: './plugins/brings-wiki-one.js', expected: 'brings-wiki-one' },
    { title: 'the path of a folder that is a package', use: './packages/good', expected: 'good-plugin' },
    {
      title: 'an absolute path',
      use: join(FIXTURES, 'plugins', 'brings-wiki-two.js'),
      expected: 'brings-wiki-two',
    },
    { title: 'a file URL', use: pathToFileURL(join(packages, 'good')).href, expected: 'good-plugin' },
  ];
  for (const { title, use, expected } of cases) {
    it(`are found by ${title}`, async () => {
      expect(await wikiOf(bootOptions({ value: smallConfig({ plugins: [use] }) }))).to.equal(expected);
    });
  }

  const installGood = async (): Promise<Record<string, string>> => ({
    'node_modules/good-plugin/package.json': await readFile(join(packages, 'good', 'package.json'), 'utf8'),
    'node_modules/good-plugin/index.js': await readFile(join(packages, 'good', 'index.js'), 'utf8'),
  });

  it('are found by npm name relative to the folder of the configuration', async () => {
    const directory = await folders.create(await installGood());
    const config = { directory, value: smallConfig({ plugins: ['good-plugin'] }) };
    expect(await wikiOf(bootOptions({ config }))).to.equal('good-plugin');
  });

  it('may be CommonJS, at a subpath that the manifest names', async () => {
    const value = smallConfig({ plugins: ['./packages/compiled-commonjs'] });
    await withKernel(bootOptions({ value }), ({ config }) => expect(config.sources).to.have.length(1));
  });

  it('may be TypeScript in a file', async () => {
    const text = 'const name: string = "typed"; export default { name, apiVersion: 2 };';
    const directory = await folders.create({ 'typed.ts': text });
    const config = { directory, value: smallConfig({ plugins: ['./typed.ts'] }) };
    await withKernel(bootOptions({ config }), (kernel) => expect(kernel.directory).to.equal(directory));
  });

  it('are applied once, in order, with their options and defaults', async () => {
    const calls: unknown[] = [];
    const plugin = (name: string) => ({
      name,
      apiVersion: 2 as const,
      options: { type: 'object', properties: { days: { type: 'integer', default: 90 } } } as const,
      apply: (_context: unknown, options: unknown) => void calls.push([name, options]),
    });
    const pluginObjects = [{ plugin: plugin('one') }, { plugin: plugin('two'), options: { days: 1 } }];
    await withKernel(bootOptions({ pluginObjects }), () => undefined);
    expect(calls).to.deep.equal([
      ['one', { days: 90 }],
      ['two', { days: 1 }],
    ]);
  });

  describe('plugins next to shipped kinds', () => {
    const shippedOptions = async (plugins: readonly unknown[]): Promise<BootOptions> => {
      const directory = await folders.create(await installGood());
      return bootOptions({
        value: smallConfig({ plugins }),
        shipped: {
          sources: { wiki: 'good-plugin', other: 'never-installed' },
          authProviders: {},
          middleware: {},
        },
        shippedFrom: join(directory, 'host.js'),
      });
    };

    it('do not cause imports of unused shipped kinds', async () => {
      expect(await wikiOf(await shippedOptions([]))).to.equal(undefined);
    });

    it('permit a shipped kind, which is imported when a source uses it', async () => {
      const options = await shippedOptions([]);
      const sources = [{ name: 'handbook', wiki: {}, syncPolicy: { interval: '1h' } }];
      const value = smallConfig({ sources, registries: [{ name: 'main', sources: ['handbook'] }] });
      await withKernel({ ...options, config: { value, directory: FIXTURES } }, ({ kinds }) => {
        expect(kinds.sources.get('wiki')).to.include({ plugin: 'good-plugin', shipped: true });
      });
    });

    it('throw ERR_PLUGIN_KIND_CLASH when they define a shipped kind, used or not', async () => {
      const options = await shippedOptions(['./plugins/brings-wiki-one.js']);
      const error = await errorOf(() => bootKernel(options));
      expect(error.code).to.equal('ERR_PLUGIN_KIND_CLASH');
      expect(error.message).to.include('brings-wiki-one').and.to.include('good-plugin');
      expect(error.hint).to.include('override: true');
    });

    it('replace a shipped kind with override: true', async () => {
      const options = await shippedOptions([{ use: './plugins/brings-wiki-one.js', override: true }]);
      expect(await wikiOf(options)).to.equal('brings-wiki-one');
    });
  });
});
