import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { problemsOf } from '../../src/index.ts';
import { expect } from 'chai';
import { errorOf, Folders } from '../support/test-context.ts';
import {
  packageFiles,
  pluginText,
  SECRET_CONTEXT,
  type TestWorkload,
  withWorkloadKernel,
} from '../support/workload-context.ts';

const run = promisify(execFile);

/** Plugins that bring kinds of workloads, as files. */
const paper = pluginText(
  'paper',
  `contributes: { transports: [{ kind: 'paper', carries: 'messages', config, create: (block) => ({
    carries: 'messages', block, prepareContainer: (spec) => spec, openConnection: () => undefined }) }] }`,
  `const config = { type: 'object', required: ['size'], properties: { size: { type: 'string' } } };`,
);
const ownBoxes = pluginText(
  'own-boxes',
  `contributes: { runtimes: [{ kind: 'boxes', config: { type: 'object' }, create: () => { throw new Error('own boxes'); } }] }`,
);
const apt = pluginText(
  'apt',
  `contributes: { schemes: [{ kind: 'apt', packages: (text) => text, config: { type: 'object' }, create: () => ({}) }] }`,
);

describe('openWorkloadKernel', () => {
  const folders = new Folders();
  after(() => folders.removeAll());
  const open = async <T>(
    options: TestWorkload,
    use: Parameters<typeof withWorkloadKernel<T>>[2],
  ): Promise<T> => await withWorkloadKernel(folders, options, use);
  const faultOf = async (options: TestWorkload): Promise<Error & { code?: string; hint?: string }> =>
    await errorOf(() => open(options, () => undefined));

  describe('without a configuration', () => {
    it('lists shipped kinds, and imports a package when its kind is used', async () => {
      const imported = (): unknown => Reflect.get(globalThis, Symbol.for('importedByTest'));
      Reflect.set(globalThis, Symbol.for('importedByTest'), []);
      await open({}, async (kernel) => {
        expect(kernel.configFile).to.equal(undefined);
        expect(kernel.kinds.runtimes).to.deep.equal(['boxes']);
        expect([...kernel.kinds.transports]).to.deep.equal([['wire', 'http']]);
        expect([...kernel.kinds.schemes]).to.deep.equal([['npx', 'npm']]);
        expect(kernel.kinds.secretStores).to.deep.equal(['1box']);
        expect(imported()).to.deep.equal([]);
        await kernel.createRuntime('boxes');
        await kernel.createRuntime('boxes');
        expect(imported()).to.deep.equal(['ships-boxes']);
      });
    });

    it('creates an instance with the defaults of the block and the given folder', async () => {
      await open({}, async (kernel, _log, folder) => {
        const runtime = await kernel.createRuntime('boxes');
        expect(Reflect.get(runtime, 'block')).to.deep.equal({ memory: 64 });
        expect(Reflect.get(runtime, 'directory')).to.equal(folder);
        expect(await kernel.createTransport('wire')).to.include({ carries: 'http', clientPath: '/mcp' });
      });
    });

    it('passes secret stores the services of their host', async () => {
      await open({}, async (kernel) => {
        const { name, can, store } = await kernel.createSecretStore('1box', SECRET_CONTEXT);
        expect({ name, can }).to.deep.equal({ name: '1box', can: ['list'] });
        expect(await store.find('API_KEY')).to.equal('k-1');
      });
    });

    it('closes each instance once, even when the caller has closed it', async () => {
      let runtime: unknown;
      await open({}, async (kernel) => {
        runtime = await kernel.createRuntime('boxes');
        await kernel.close();
      });
      expect(Reflect.get(Object(runtime), 'closed')).to.equal(1);
    });

    it('loads no configuration parser and no logger of its own', async () => {
      const source = `
        const { registerHooks } = await import('node:module');
        const loaded = [];
        registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
        const { openWorkloadKernel } = await import('@portolan/kernel/workload');
        const logger = { debug() {}, info() {}, warn() {}, error() {} };
        const shipped = { sources: {}, authProviders: {}, middleware: {} };
        await (await openWorkloadKernel({ environment: {}, logger, shipped, shippedFrom: import.meta.url })).close();
        console.log(JSON.stringify(loaded));`;
      const { stdout } = await run(
        process.execPath,
        ['--conditions=@portolan/source', '--input-type=module', '--eval', source],
        { cwd: import.meta.dirname },
      );
      const loaded: readonly string[] = JSON.parse(stdout);
      const libraries = loaded
        .map((url) => /\/node_modules\/([^/]+)/.exec(url)?.[1])
        .filter((name) => name !== undefined);
      expect([...new Set(libraries)]).to.deep.equal(['tapable']);
      expect(loaded.length).to.be.at.most(101);
    });

    it('lists the known kinds for an unknown one', async () => {
      await open({}, async (kernel) => {
        const error = await errorOf(() => kernel.createTransport('wier'));
        expect(error).to.include({ code: 'ERR_KIND_UNKNOWN' });
        expect(error.message).to.equal('Unknown transport "wier"; expected wire.');
        expect(error.hint).to.include('portolan kinds');
        expect((await errorOf(() => kernel.createScheme('constructor'))).code).to.equal('ERR_KIND_UNKNOWN');
      });
    });

    it('rejects an instance that lacks a method of its kind', async () => {
      await open({}, async (kernel) => {
        const error = await errorOf(() => kernel.createScheme('npx'));
        expect(error).to.include({ code: 'ERR_PLUGIN_SHAPE' });
        expect(error.message).to.include('the scheme "npx"').and.to.include('"resolveVersion"');
      });
    });
  });

  describe('with a configuration', () => {
    const files = { 'paper.js': paper, 'own-boxes.js': ownBoxes, 'apt.js': apt };

    it('loads its plugins, and uses the settings of kinds', async () => {
      const config =
        'plugins: [./paper.js, ./apt.js]\ntransports: { paper: { size: A4 } }\nruntimes: { boxes: { memory: 128 } }';
      await open({ files, config }, async (kernel, _log, folder) => {
        expect([...kernel.kinds.transports.keys()]).to.deep.equal(['wire', 'paper']);
        expect(kernel.kinds.schemes.get('apt')).to.be.a('function');
        expect(Reflect.get(await kernel.createTransport('paper'), 'block')).to.deep.equal({ size: 'A4' });
        const runtime = await kernel.createRuntime('boxes');
        expect(Reflect.get(runtime, 'block')).to.deep.equal({ memory: 128 });
        expect(Reflect.get(runtime, 'directory')).to.equal(folder);
      });
    });

    it('ignores keys for the registry server', async () => {
      const config = 'sources: 7\nregistries: []\nserver: { adress: x }\nplugins: []';
      await open({ config }, (kernel) => expect(kernel.kinds.runtimes).to.deep.equal(['boxes']));
    });

    it('reports every problem with its place before anything is created', async () => {
      const config =
        'plugins: [./paper.js]\nruntimes:\n  boxes: { memory: 1 }\n  pots: {}\ntransports: { paper: {} }\nruntime: {}';
      const error = await faultOf({ files, config });
      expect(error.code).to.equal('ERR_CONFIG_INVALID');
      expect(problemsOf(error)?.map(({ place }) => place)).to.have.members([
        'runtimes.boxes.memory',
        'runtimes.pots',
        'transports.paper.size',
        'runtime',
      ]);
      expect(error.message).to.include('did you mean "runtimes"?');
    });

    it('expands references in secret fields, and masks their values in errors of plugins', async () => {
      const config = 'runtimes: { boxes: { token: "${BOX_TOKEN}" } }';
      await open({ config, environment: { BOX_TOKEN: 'hush-hush' } }, async (kernel) => {
        expect(Reflect.get(await kernel.createRuntime('boxes'), 'block')).to.deep.equal({
          token: 'hush-hush',
          memory: 64,
        });
      });
      const error = await faultOf({ config });
      expect(error.message).to.include('BOX_TOKEN, which is not set');
    });

    it('names the required settings of a kind without settings', async () => {
      await open({ files, config: 'plugins: [./paper.js]' }, async (kernel) => {
        const error = await errorOf(() => kernel.createTransport('paper'));
        expect(error).to.include({ code: 'ERR_CONFIG_INVALID' });
        expect(error.message).to.include('transports.paper.size');
      });
    });

    const stops: readonly { title: string; options: TestWorkload; code: string }[] = [
      {
        title: 'a missing plugin',
        options: { config: 'plugins: [./gone.js]' },
        code: 'ERR_PLUGIN_NOT_FOUND',
      },
      {
        title: 'a plugin that throws during its import',
        options: { files: { 'bad.js': 'throw new Error("no")' }, config: 'plugins: [./bad.js]' },
        code: 'ERR_PLUGIN_IMPORT',
      },
      {
        title: 'a package for an unsupported version of the contract, without an import',
        options: {
          files: packageFiles('future', 'throw new Error("run")', { plugin: '.', apiVersion: 99 }),
          config: 'plugins: [future]',
        },
        code: 'ERR_PLUGIN_SHAPE',
      },
      {
        title: 'a shipped kind without override',
        options: { files, config: 'plugins: [./own-boxes.js]' },
        code: 'ERR_PLUGIN_KIND_CLASH',
      },
      {
        title: 'a kind of two plugins',
        options: {
          files: { ...files, 'more.js': paper.replace('"paper"', '"more"') },
          config: 'plugins: [./paper.js, ./more.js]',
        },
        code: 'ERR_PLUGIN_KIND_CLASH',
      },
      { title: 'a file that is not YAML', options: { config: 'plugins: [' }, code: 'ERR_CONFIG_SYNTAX' },
      { title: 'an empty file', options: { config: '' }, code: 'ERR_CONFIG_INVALID' },
    ];
    for (const { title, options, code } of stops) {
      it(`throws for ${title}`, async () => {
        expect((await faultOf(options)).code).to.equal(code);
      });
    }

    it('throws when its signal has aborted', async () => {
      const error = await faultOf({ config: 'plugins: []', signal: AbortSignal.abort(new Error('enough')) });
      expect(error.message).to.equal('enough');
    });

    it('replaces a shipped kind by the kind of a plugin with override', async () => {
      const config = 'plugins: [{ use: ./own-boxes.js, override: true }]';
      await open({ files, config }, async (kernel) => {
        expect(kernel.kinds.runtimes).to.deep.equal(['boxes']);
        const error = await errorOf(() => kernel.createRuntime('boxes'));
        expect(error).to.include({ code: 'ERR_PLUGIN_CREATE' });
        expect(error.message).to.include('the runtime "boxes"').and.to.include('own boxes');
      });
    });

    for (const [made, lacks] of [
      ['{}', '"runs" is neither "containers" nor "workloads"'],
      ["{ runs: 'containers', engine: {} }", '"engine" is something without a function "describe"'],
      ["{ runs: 'workloads' }", '"host" is nothing'],
    ] as const) {
      it(`rejects a runtime of a plugin that is ${made}`, async () => {
        const text = pluginText(
          'odd',
          `contributes: { runtimes: [{ kind: 'odd', config: { type: 'object' }, create: () => ({ ...${made}, close: async () => {} }) }] }`,
        );
        await open({ files: { 'odd.js': text }, config: 'plugins: [./odd.js]' }, async (kernel) => {
          const error = await errorOf(() => kernel.createRuntime('odd'));
          expect(error).to.include({ code: 'ERR_PLUGIN_SHAPE' });
          expect(error.message).to.include(lacks);
        });
      });
    }

    it('passes on the error of a kind, with its code and hint', async () => {
      const body = `const fault = Object.assign(new Error('no engine answers'), { code: 'ERR_ENGINE_MISSING', hint: 'Start one.' });`;
      const text = pluginText(
        'pots',
        `contributes: { runtimes: [{ kind: 'pots', config: { type: 'object' }, create: async () => { throw fault; } }] }`,
        body,
      );
      await open({ files: { 'pots.js': text }, config: 'plugins: [./pots.js]' }, async (kernel) => {
        const error = await errorOf(() => kernel.createRuntime('pots'));
        expect(error).to.include({
          code: 'ERR_ENGINE_MISSING',
          hint: 'Start one.',
          message: 'no engine answers',
        });
      });
    });
  });

  describe('with installed plugins', () => {
    const installed = [{ specifier: 'installed-apt', from: 'data/package.json' }];
    const inData = (files: Readonly<Record<string, string>>): Record<string, string> =>
      Object.fromEntries(Object.entries(files).map(([name, text]) => [`data/${name}`, text]));
    const files = inData(packageFiles('installed-apt', apt));

    it('provides their kinds, with and without a configuration', async () => {
      for (const config of [undefined, 'plugins: []', 'plugins: [installed-apt]']) {
        await open({ files, installed, ...(config === undefined ? {} : { config }) }, (kernel) => {
          expect([...kernel.kinds.schemes.keys()], config).to.deep.equal(['npx', 'apt']);
        });
      }
    });

    it('prefers the package next to the configuration that names it', async () => {
      const beside = packageFiles('installed-apt', apt.replace("kind: 'apt'", "kind: 'brew'"));
      await open(
        { files: { ...files, ...beside }, installed, config: 'plugins: [installed-apt]' },
        (kernel) => {
          expect([...kernel.kinds.schemes.keys()]).to.deep.equal(['npx', 'brew']);
        },
      );
    });

    it('ignores plugins with commands only', async () => {
      const commands = inData(packageFiles('installed-apt', 'throw new Error("imported")', undefined));
      const plain = { ...commands };
      plain['data/node_modules/installed-apt/package.json'] = JSON.stringify({
        name: 'installed-apt',
        version: '1.0.0',
      });
      await open({ files: plain, installed }, (kernel) => {
        expect([...kernel.kinds.schemes.keys()]).to.deep.equal(['npx']);
      });
    });

    it('throws when an installed plugin is missing', async () => {
      const error = await faultOf({ installed });
      expect(error).to.include({ code: 'ERR_PLUGIN_NOT_FOUND' });
      expect(error.hint).to.include('portolan plugins uninstall installed-apt');
    });
  });

  describe('hooks of the workload kernel', () => {
    const spec = { name: 'notes', image: 'acme/notes:1', command: [], environment: { A: '1' }, labels: {} };
    const tapping = (body: string): TestWorkload => ({
      files: { 'taps.js': pluginText('taps', `apply: ({ hooks }) => { ${body} }`) },
      config: 'plugins: [./taps.js]',
    });

    it('return the unchanged spec without taps', async () => {
      await open({}, async ({ hooks }) => expect(await hooks.containerStart(spec)).to.equal(spec));
    });

    it('return a copy of the spec that the taps changed', async () => {
      const body = `hooks.containerStart.tap('x', (spec) => (globalThis[Symbol.for('kept')] = { ...spec, environment: { ...spec.environment, B: '2' } }));`;
      await open(tapping(body), async ({ hooks }) => {
        const changed = await hooks.containerStart(spec);
        expect(changed.environment).to.deep.equal({ A: '1', B: '2' });
        expect(changed).to.not.equal(Reflect.get(globalThis, Symbol.for('kept')));
        expect(spec.environment).to.deep.equal({ A: '1' });
        expect(Object.isFrozen(spec)).to.equal(false);
      });
    });

    it('pass each step with its plugin to a check, and throw its error', async () => {
      const named = (name: string, value: string): string =>
        pluginText(
          name,
          `apply: ({ hooks }) => { hooks.containerStart.tap('any', (spec) => ({ ...spec, environment: { ...spec.environment, B: '${value}' } })); }`,
        );
      const plugins = {
        files: { 'one.js': named('one', '1'), 'two.js': named('two', '2'), 'three.js': named('three', '3') },
        config: 'plugins: [./one.js, ./two.js, ./three.js]',
      };
      await open(plugins, async ({ hooks }) => {
        const seen: string[] = [];
        const check = (changed: { readonly environment: object }, plugin: string): void => {
          seen.push(`${plugin} ${JSON.stringify(changed.environment)}`);
          if (plugin === 'two') throw new Error('too open');
        };
        expect((await errorOf(() => hooks.containerStart(spec, check))).message).to.equal('too open');
        expect(seen).to.deep.equal(['one {"A":"1","B":"1"}', 'two {"A":"1","B":"2"}']);
      });
    });

    const faults = [
      { title: 'throws', answer: `{ throw new Error('no') }` },
      { title: 'returns nothing', answer: '{}' },
      { title: 'changes its argument', answer: `{ spec.environment.A = '2'; return spec; }` },
      { title: 'omits the image', answer: '({ ...spec, image: undefined })' },
      { title: 'has an unknown field', answer: '({ ...spec, privilged: true })' },
      { title: 'has an invalid mount', answer: `({ ...spec, mounts: [{ type: 'bind', source: '/' }] })` },
      { title: 'has an invalid network', answer: `({ ...spec, network: 'host' })` },
      { title: 'contains a function', answer: '({ ...spec, labels: { a: () => 1 } })' },
      { title: 'has an empty limit', answer: '({ ...spec, limits: { cpus: 0 } })' },
    ];
    for (const { title, answer } of faults) {
      it(`refuse a start when a tap ${title}`, async () => {
        await open(tapping(`hooks.containerStart.tap('x', (spec) => ${answer});`), async ({ hooks }) => {
          const error = await errorOf(() => hooks.containerStart(spec));
          expect(error).to.include({ code: 'ERR_PLUGIN_HOOK' });
          expect(error.message).to.include('"taps"').and.to.include('"containerStart"');
        });
      });
    }

    it('report an exit, and log an error of a tap', async () => {
      const body = `hooks.containerExit.tapPromise('x', async () => { throw new Error('broken exit'); });
        hooks.containerExit.tap('x', (exit) => { globalThis[Symbol.for('exitSeen')] = exit; });`;
      await open(tapping(body), async ({ hooks }, log) => {
        await hooks.containerExit({ name: 'notes', exitCode: 3 });
        expect(Reflect.get(globalThis, Symbol.for('exitSeen'))).to.deep.equal({ name: 'notes', exitCode: 3 });
        expect(log.text).to.include('broken exit').and.to.include('containerExit');
      });
    });
  });

  it('closes plugins when it fails to open', async () => {
    const good = pluginText(
      'good',
      `apply() {}, close: async () => { globalThis[Symbol.for('closedByTest')] = true; }`,
    );
    const bad = pluginText('bad', `apply() { throw new Error('no'); }`);
    Reflect.set(globalThis, Symbol.for('closedByTest'), false);
    const config = 'plugins: [./good.js, ./bad.js]';
    expect((await faultOf({ files: { 'good.js': good, 'bad.js': bad }, config })).code).to.equal(
      'ERR_PLUGIN_CREATE',
    );
    expect(Reflect.get(globalThis, Symbol.for('closedByTest'))).to.equal(true);
  });
});
