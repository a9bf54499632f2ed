import { join } from 'node:path';
import { isPortolanError, type Plugin, PortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { bootKernel } from '../../src/server/boot.ts';
import { bootOptions, errorOf, FIXTURES, Folders, smallConfig, withKernel } from '../support/test-context.ts';

/** Every way to be broken that shows before or while the kernel boots. */
const cases: readonly {
  readonly plugin: string;
  readonly more?: readonly unknown[];
  /** A source that uses the plugin's kind. */
  readonly wiki?: Readonly<Record<string, unknown>>;
  readonly code: string;
  readonly says: readonly string[];
  readonly hint: string;
}[] = [
  {
    plugin: './plugins/nobody-wrote-it.js',
    code: 'ERR_PLUGIN_NOT_FOUND',
    says: ['cannot be found'],
    hint: 'folder of the configuration',
  },
  {
    plugin: 'portolan-plugin-nobody-wrote',
    code: 'ERR_PLUGIN_NOT_FOUND',
    says: ['cannot be found'],
    hint: 'npm install portolan-plugin-nobody-wrote',
  },
  {
    plugin: './plugins/no-default-export.js',
    code: 'ERR_PLUGIN_SHAPE',
    says: ['no default export'],
    hint: 'Export by default',
  },
  {
    plugin: './plugins/default-is-function.js',
    code: 'ERR_PLUGIN_SHAPE',
    says: ['default export is a function'],
    hint: 'Export by default',
  },
  {
    plugin: './plugins/name-missing.js',
    code: 'ERR_PLUGIN_SHAPE',
    says: ['has no name'],
    hint: 'Export by default',
  },
  {
    plugin: './plugins/api-version-is-text.js',
    code: 'ERR_PLUGIN_SHAPE',
    says: ['apiVersion is no number'],
    hint: 'apiVersion',
  },
  {
    plugin: './plugins/api-version-of-the-future.js',
    code: 'ERR_PLUGIN_SHAPE',
    says: ['version 99', 'supports 2'],
    hint: 'Update Portolan',
  },
  {
    plugin: './packages/manifest-of-the-past',
    code: 'ERR_PLUGIN_SHAPE',
    says: ['version 1 of the plugin contract', 'supports 2'],
    hint: 'Update the plugin',
  },
  {
    plugin: './plugins/throws-at-import.js',
    code: 'ERR_PLUGIN_IMPORT',
    says: ['the moon is full'],
    hint: 'Correct the plugin',
  },
  {
    plugin: './plugins/throws-text-at-import.js',
    code: 'ERR_PLUGIN_IMPORT',
    says: ['it threw a bare text'],
    hint: 'Correct the plugin',
  },
  {
    plugin: './plugins/imports-what-is-missing.js',
    code: 'ERR_PLUGIN_IMPORT',
    says: ['a-package-that-nobody-installed'],
    hint: 'install its dependencies',
  },
  {
    plugin: './plugins/contributes-is-a-list.js',
    code: 'ERR_PLUGIN_SHAPE',
    says: ['"contributes" is a list'],
    hint: 'contributes',
  },
  {
    plugin: './plugins/contributes-something-unknown.js',
    code: 'ERR_PLUGIN_SHAPE',
    says: ['"sauces"', 'sources, authProviders, middleware'],
    hint: 'contributes',
  },
  {
    plugin: './plugins/kind-without-create.js',
    code: 'ERR_PLUGIN_SHAPE',
    says: ['the kind "wiki"', '"create"'],
    hint: 'contributes',
  },
  {
    plugin: './plugins/kind-without-config.js',
    code: 'ERR_PLUGIN_SHAPE',
    says: ['the kind "wiki"', '"config" is nothing'],
    hint: 'contributes',
  },
  {
    plugin: './plugins/brings-wiki-one.js',
    more: ['./plugins/brings-wiki-two.js'],
    code: 'ERR_PLUGIN_KIND_CLASH',
    says: ['source kind "wiki"', 'brings-wiki-two'],
    hint: 'Remove one of the two',
  },
  {
    plugin: './packages/good',
    more: ['./packages/good'],
    code: 'ERR_PLUGIN_KIND_CLASH',
    says: ['loaded twice'],
    hint: 'Remove one of the two',
  },
  {
    plugin: './packages/manifest-missing',
    code: 'ERR_PLUGIN_SHAPE',
    says: ['no key "portolan"'],
    hint: '"portolan": {',
  },
  {
    plugin: './packages/manifest-of-the-future',
    code: 'ERR_PLUGIN_SHAPE',
    says: ['version 99', 'supports 2'],
    hint: 'Update Portolan',
  },
  {
    plugin: './packages/manifest-of-the-past',
    code: 'ERR_PLUGIN_SHAPE',
    says: ['version 1 of the plugin contract', 'supports 2'],
    hint: 'Update the plugin',
  },
  {
    plugin: './packages/manifest-without-version',
    code: 'ERR_PLUGIN_SHAPE',
    says: ['"portolan.apiVersion" is no whole number'],
    hint: '"portolan": {',
  },
  {
    plugin: './packages/manifest-without-plugin',
    code: 'ERR_PLUGIN_SHAPE',
    says: ['"portolan.plugin" is not "."'],
    hint: '"portolan": {',
  },
  {
    plugin: './packages/exports-import-only',
    code: 'ERR_PLUGIN_SHAPE',
    says: ['condition "default"'],
    hint: '"default" condition',
  },
  {
    plugin: './packages/versions-differ',
    code: 'ERR_PLUGIN_SHAPE',
    says: ['apiVersion 2', '1 in its plugin object'],
    hint: 'make both values equal',
  },
  {
    plugin: './plugins/create-throws.js',
    wiki: {},
    code: 'ERR_PLUGIN_CREATE',
    says: ['the source "handbook"', 'no luck'],
    hint: 'Check the settings',
  },
  {
    plugin: './plugins/create-returns-nothing.js',
    wiki: {},
    code: 'ERR_PLUGIN_SHAPE',
    says: ['the source "handbook"', 'returned nothing'],
    hint: 'Report the fault to its author',
  },
  {
    plugin: './plugins/create-returns-no-source.js',
    wiki: {},
    code: 'ERR_PLUGIN_SHAPE',
    says: ['the source "handbook"', '"readEntries"'],
    hint: 'Report the fault to its author',
  },
  {
    plugin: './plugins/apply-throws.js',
    code: 'ERR_PLUGIN_CREATE',
    says: ['no ink left'],
    hint: 'options of the plugin',
  },
  {
    plugin: './plugins/taps-without-a-function.js',
    code: 'ERR_PLUGIN_CREATE',
    says: ['a tap of "filterEntries" must be a function'],
    hint: 'options of the plugin',
  },
  {
    plugin: './plugins/taps-a-hook-with-a-slip.js',
    code: 'ERR_PLUGIN_CREATE',
    says: ['unknown hook "filterEntry" (did you mean "filterEntries"?).'],
    hint: 'options of the plugin',
  },
  {
    plugin: './plugins/taps-what-is-no-hook.js',
    code: 'ERR_PLUGIN_CREATE',
    says: ['unknown hook "onMoonrise" (expected resolveRoles, filterEntries, beforePublish'],
    hint: 'options of the plugin',
  },
];

describe('bootKernel with a broken plugin', () => {
  const folders = new Folders();
  afterEach(() => folders.removeAll());

  for (const { plugin, more = [], wiki, code, says, hint } of cases) {
    it(`throws ${code} for ${plugin}, and names plugin, file and remedy`, async () => {
      const sources = [
        { name: 'notes', memo: { text: 'hello' }, syncPolicy: { interval: '5m' } },
        ...(wiki === undefined ? [] : [{ name: 'handbook', wiki, syncPolicy: { interval: '5m' } }]),
      ];
      const value = smallConfig({ sources, plugins: [plugin, ...more] });
      const error = await errorOf(() => bootKernel(bootOptions({ value })));
      expect(isPortolanError(error) && error.code).to.equal(code);
      const name = plugin.replace(/^.*\//, '').replace(/\.js$/, '');
      for (const part of [name, ...says]) expect(error.message).to.include(part);
      if (code !== 'ERR_PLUGIN_NOT_FOUND') expect(error.message).to.include(FIXTURES);
      expect(error.hint).to.include(hint);
    });
  }

  const texts = [
    {
      title: 'a syntax error',
      name: 'broken.js',
      text: 'export default {\n  name: \n};',
      says: 'syntax error: Unexpected token',
    },
    {
      title: 'TypeScript that Node cannot strip',
      name: 'broken.ts',
      text: 'export enum Colour { Red }',
      says: 'enum',
    },
  ];
  for (const { title, name, text, says } of texts) {
    it(`throws ERR_PLUGIN_IMPORT for ${title}`, async () => {
      const directory = await folders.create({ [name]: text });
      const config = { directory, value: smallConfig({ plugins: [`./${name}`] }) };
      const error = await errorOf(() => bootKernel(bootOptions({ config })));
      expect(error.code).to.equal('ERR_PLUGIN_IMPORT');
      expect(error.message).to.include(join(directory, name)).and.to.include(says);
    });
  }

  const syntaxErrors = [
    { name: 'broken.mjs', text: 'export default {\n  name: ,\n};', at: '(line 2, column 9)' },
    { name: 'broken.ts', text: 'export default {\n  name: ,\n};', at: '(line 2, column 9)' },
    { name: 'broken.cjs', text: 'module.exports = {\n\tname: ,\n};', at: '(line 2, column 8)' },
    { name: 'enum.ts', text: '\nexport enum Colour { Red }', at: '(line 2, column 8)' },
  ];
  for (const { name, text, at } of syntaxErrors) {
    it(`shows the position of the syntax error in ${name}`, async () => {
      const directory = await folders.create({ [name]: text });
      const config = { directory, value: smallConfig({ plugins: [`./${name}`] }) };
      const error = await errorOf(() => bootKernel(bootOptions({ config })));
      expect(error.message).to.include('syntax error: ').and.to.include(` ${at}.`);
    });
  }

  it('names the file of a syntax error in an import of the plugin', async () => {
    const files = { 'mine.ts': 'import "./other.ts";\nexport default 1;', 'other.ts': 'let a: = 1;' };
    const directory = await folders.create(files);
    const config = { directory, value: smallConfig({ plugins: ['./mine.ts'] }) };
    const error = await errorOf(() => bootKernel(bootOptions({ config })));
    expect(error.message).to.include(`(${join(directory, 'other.ts')}, line 1, column 8)`);
  });

  const asNpmMakesIt = { 'package.json': '{ "name": "mine", "type": "commonjs" }' };
  const misplaced = [
    {
      name: 'hook.ts',
      text: 'const name: string = "h";\nexport default { name, apiVersion: 2 };',
      mend: 'hook.mts',
    },
    {
      name: 'hook.js',
      text: 'const hook = { name: "h", apiVersion: 2 };\nexport { hook as default };',
      mend: 'hook.mjs',
    },
  ];
  for (const { name, text, mend } of misplaced) {
    it(`explains why ${name} is not a module in a CommonJS folder, without a warning of Node.js`, async () => {
      const directory = await folders.create({ ...asNpmMakesIt, [name]: text });
      const config = { directory, value: smallConfig({ plugins: [`./${name}`] }) };
      const printed: Error[] = [];
      const listen = (warning: Error): unknown => printed.push(warning);
      process.on('warning', listen);
      try {
        const error = await errorOf(() => bootKernel(bootOptions({ config })));
        expect(error.code).to.equal('ERR_PLUGIN_IMPORT');
        expect(error.message)
          .to.include(join(directory, name))
          .and.to.include(
            `it is an ES module, but ${join(directory, 'package.json')} has "type": "commonjs"`,
          );
        expect(error.hint).to.include('"type": "module"').and.to.include(mend);
        await new Promise(setImmediate); // warnings are told in a turn of their own
        expect(printed).to.deep.equal([]);
      } finally {
        process.off('warning', listen);
      }
    });
  }

  it('loads CommonJS code in a CommonJS folder, even when a comment contains ES module syntax', async () => {
    const text = '/*\nexport default {} is for modules\n*/\nmodule.exports = { name: "old", apiVersion: 2 };';
    const directory = await folders.create({ ...asNpmMakesIt, 'old.js': text });
    const config = { directory, value: smallConfig({ plugins: ['./old.js'] }) };
    await withKernel(bootOptions({ config }), (kernel) => expect(kernel.directory).to.equal(directory));
  });

  it('rejects a TypeScript package below node_modules, because packages publish JavaScript', async () => {
    const manifest = { name: 'typed', exports: './index.ts', portolan: { plugin: '.', apiVersion: 2 } };
    const directory = await folders.create({
      'node_modules/typed/package.json': JSON.stringify(manifest),
      'node_modules/typed/index.ts': 'export default { name: "typed", apiVersion: 2 };',
    });
    const config = { directory, value: smallConfig({ plugins: ['typed'] }) };
    const error = await errorOf(() => bootKernel(bootOptions({ config })));
    expect(error.code).to.equal('ERR_PLUGIN_IMPORT');
    expect(error.hint).to.include('publish JavaScript');
  });

  const manifests = [
    { title: 'is not JSON', text: '{', says: 'cannot be read as JSON' },
    { title: 'has no name', text: '{"portolan":{"plugin":".","apiVersion":2}}', says: 'has no name' },
    {
      title: 'has something else than a map under "portolan"',
      text: '{"portolan":true}',
      says: '"portolan" is no map',
    },
  ];
  for (const { title, text, says } of manifests) {
    it(`rejects a folder whose package.json ${title}`, async () => {
      const directory = await folders.create({ 'mine/package.json': text });
      const config = { directory, value: smallConfig({ plugins: ['./mine'] }) };
      const error = await errorOf(() => bootKernel(bootOptions({ config })));
      expect(error.code).to.equal('ERR_PLUGIN_SHAPE');
      expect(error.message).to.include(says);
    });
  }

  const stuck = [
    {
      title: 'that never finishes loading',
      text: 'await new Promise(() => {}); export default { name: "stuck", apiVersion: 2 };',
      code: 'ERR_PLUGIN_IMPORT',
    },
    { title: 'whose module is thenable', text: 'export function then() {}', code: 'ERR_PLUGIN_IMPORT' },
    {
      title: 'whose apply never finishes',
      text: 'export default { name: "stuck", apiVersion: 2, apply: () => new Promise(() => {}) };',
      code: 'ERR_PLUGIN_CREATE',
    },
    {
      title: 'whose create never finishes',
      text: `export default { name: "stuck", apiVersion: 2, contributes: { sources: [
        { kind: "wiki", claimsFrom: "publisher", config: { type: "object" }, create: () => new Promise(() => {}) },
      ] } };`,
      wiki: true,
      code: 'ERR_PLUGIN_CREATE',
    },
  ];
  for (const { title, text, wiki, code } of stuck) {
    it(`times out for a plugin ${title}`, async () => {
      const directory = await folders.create({ 'stuck.mjs': text });
      const sources = [{ name: 'notes', ...(wiki === true ? { wiki: {} } : { inbox: {} }) }];
      const value = smallConfig({ plugins: ['./stuck.mjs'], sources });
      const options = bootOptions({ config: { directory, value }, pluginTimeoutMs: 20 });
      const error = await errorOf(() => bootKernel(options));
      expect(error.code).to.equal(code);
      expect(error.message).to.include('stuck.mjs').and.to.include('it did not finish within 0.02 s');
    });
  }

  for (const use of ['file://elsewhere/x.js', 'file:%']) {
    it(`throws an error because it does not find ${use}`, async () => {
      const error = await errorOf(() => bootKernel(bootOptions({ value: smallConfig({ plugins: [use] }) })));
      expect(error.code).to.equal('ERR_PLUGIN_NOT_FOUND');
      expect(error.message).to.include(use);
    });
  }

  it('shows the thrown value, even when it is not an Error', async () => {
    for (const [thrown, says] of [
      [undefined, 'it threw nothing'],
      [Object.create(null), 'it threw a map'],
      ['a bare text', 'it threw a bare text'],
    ] as const) {
      const apply = (): void => {
        throw thrown;
      };
      const pluginObjects = [{ plugin: { name: 'thrower', apiVersion: 2, apply } as const }];
      const error = await errorOf(() => bootKernel(bootOptions({ pluginObjects })));
      expect(error.code).to.equal('ERR_PLUGIN_CREATE');
      expect(error.message).to.include(says);
    }
  });

  it('names the plugin when a getter of the created object throws', async () => {
    const text = `export default { name: "shy", apiVersion: 2, contributes: { sources: [
      { kind: "wiki", claimsFrom: "publisher", config: { type: "object" },
        create: () => ({ get readEntries() { throw new Error("no looking"); } }) },
    ] } };`;
    const directory = await folders.create({ 'shy.mjs': text });
    const value = smallConfig({ plugins: ['./shy.mjs'], sources: [{ name: 'notes', wiki: {} }] });
    const error = await errorOf(() => bootKernel(bootOptions({ config: { directory, value } })));
    expect(error.code).to.equal('ERR_PLUGIN_CREATE');
    expect(error.message).to.include('"shy"').and.to.include('no looking');
  });

  it('masks a secret in the hint, the cause and its stack', async () => {
    const plugin: Plugin = {
      name: 'chatty',
      apiVersion: 2,
      options: { type: 'object', properties: { key: { type: 'string', secret: true } } },
      apply: (_context, { key }) => {
        const cause = new TypeError(`inner ${String(key)}`);
        throw new PortolanError('ERR_CHATTY', 'fault', `outer ${String(key)}`, {
          hint: `try ${String(key)}`,
          cause,
        });
      },
    };
    const pluginObjects = [{ plugin, options: { key: 'hunter2-and-more' } }];
    const error = await errorOf(() => bootKernel(bootOptions({ pluginObjects })));
    expect(error.hint).to.equal('try [secret]');
    const stacks: string[] = [];
    for (let one: unknown = error; one instanceof Error; one = one.cause) stacks.push(String(one.stack));
    expect(stacks).to.have.length(3);
    expect(stacks.join('\n')).to.include('inner [secret]').and.not.to.include('hunter2');
  });

  it('masks a secret in the message of a plugin', async () => {
    const value = smallConfig({
      plugins: ['./plugins/create-throws.js'],
      sources: [{ name: 'notes', wiki: { token: 'hunter2-and-more' }, syncPolicy: { interval: '5m' } }],
    });
    const error = await errorOf(() => bootKernel(bootOptions({ value })));
    expect(error.message).to.include('no luck with [secret]');
  });

  const options = [
    {
      title: 'options that do not match its schema',
      item: { use: './plugins/with-options.js', options: { tag: 5 } },
      says: 'plugins[0].options.tag',
    },
    {
      title: 'missing required options',
      item: './plugins/with-options.js',
      says: 'plugins[0].options.tag',
    },
    {
      title: 'an unknown option',
      item: { use: './plugins/with-options.js', options: { tag: 'x', dys: 1 } },
      says: 'did you mean "days"?',
    },
    {
      title: 'options for a plugin that accepts none',
      item: { use: './plugins/without-options.js', options: { a: 1 } },
      says: 'the plugin "without-options" has no options',
    },
  ];
  for (const { title, item, says } of options) {
    it(`reports ${title} as a problem of the configuration`, async () => {
      const error = await errorOf(() => bootKernel(bootOptions({ value: smallConfig({ plugins: [item] }) })));
      expect(error.code).to.equal('ERR_CONFIG_INVALID');
      expect(error.message).to.include(says);
    });
  }

  const filters = [
    { plugin: 'tap-throws', says: 'it threw an error' },
    { plugin: 'tap-returns-nothing', says: 'it answered with nothing' },
    { plugin: 'filter-widens', says: 'a filter may only remove entries' },
    { plugin: 'filter-returns-no-list', says: 'has to return the entries it keeps' },
  ];
  for (const { plugin, says } of filters) {
    it(`boots with ${plugin}, and throws ERR_PLUGIN_HOOK with its name when its filter runs`, async () => {
      const value = smallConfig({ plugins: [`./plugins/${plugin}.js`] });
      await withKernel(bootOptions({ value }), async ({ hooks }) => {
        const error = await errorOf(() => hooks.filterEntries([], undefined, 'main'));
        expect(error.code).to.equal('ERR_PLUGIN_HOOK');
        expect(error.message)
          .to.include(`"${plugin}"`)
          .and.to.include('"filterEntries"')
          .and.to.include(says);
      });
    });
  }
});
