import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Plugin } from '@portolan/plugin-api';
import { expect } from 'chai';
import { bootKernel } from '../../src/server/boot.ts';
import {
  basePlugin,
  bootOptions,
  errorOf,
  Folders,
  LogLines,
  smallConfig,
  withKernel,
} from '../support/test-context.ts';

describe('bootKernel', () => {
  const folders = new Folders();
  afterEach(() => folders.removeAll());

  const files = {
    'portolan.config.yaml': [
      'plugins: [./plugin.js]',
      'sources:',
      '  - name: handbook',
      '    wiki: { space: TOOLS }',
      '    syncPolicy: { interval: 1h }',
      '    claims: { org: acme }',
      'registries:',
      '  - { name: main, sources: [handbook] }',
      'auth: { mode: open }',
    ].join('\n'),
    'plugin.js': [
      'const wiki = { kind: "wiki", claimsFrom: "source", config: { type: "object", properties: { space: { type: "string" } } },',
      '  create: (config, context) => ({ async *readEntries() {}, config, directory: context.directory }) };',
      'export default { name: "portolan-plugin-wiki", apiVersion: 2, contributes: { sources: [wiki] } };',
    ].join('\n'),
  };

  it('boots from a YAML file with a plugin in its folder', async () => {
    const folder = await folders.create(files);
    await withKernel(bootOptions({ searchFrom: folder }), (kernel) => {
      expect(kernel).to.include({ configFile: join(folder, 'portolan.config.yaml'), directory: folder });
      const { kind, instance } = kernel.sources.get('handbook') ?? {};
      expect(kind?.kind).to.equal('wiki');
      expect(instance).to.deep.include({ config: { space: 'TOOLS' }, directory: folder });
      expect(kernel.authProvider.kind.kind).to.equal('open');
      expect(kernel.kinds.sources.get('wiki')).to.include({
        plugin: 'portolan-plugin-wiki',
        file: join(folder, 'plugin.js'),
        shipped: false,
      });
      expect(kernel.config.sources[0]).to.include({ name: 'handbook', kind: 'wiki', intervalMs: 3_600_000 });
    });
  });

  it('boots from a TypeScript file that computes its values', async () => {
    const text = `
      const names: readonly string[] = ['one', 'two'];
      export default {
        sources: names.map((name) => ({ name, memo: { text: name }, syncPolicy: { interval: '5m' } })),
        registries: [{ name: 'main', sources: names }],
        auth: { mode: 'open' },
      };`;
    const folder = await folders.create({ 'portolan.config.ts': text, 'package.json': '{"type":"module"}' });
    await withKernel(bootOptions({ searchFrom: folder }), ({ sources }) => {
      expect([...sources.keys()]).to.deep.equal(['one', 'two']);
    });
  });

  /** Writes down what happens to a plugin and to what it creates. */
  function recorder(calls: string[], more: Partial<Plugin> = {}): Plugin {
    const kind = {
      kind: 'recorded',
      claimsFrom: 'publisher',
      config: { type: 'object', properties: { fails: { type: 'boolean', default: false } } },
      create: ({ fails }: { fails: boolean }) => {
        calls.push('create source');
        if (fails) throw new Error('as asked');
        return {
          async *readEntries() {
            // The source has no entries.
          },
          close: async () => void calls.push('close source'),
        };
      },
    } as const;
    const door = {
      kind: 'door',
      hosts: ['registry-server'],
      identifies: false,
      config: { type: 'object' },
      create: () => {
        calls.push('create provider');
        return {
          verify: async () => undefined,
          identify: () => undefined,
          close: async () => {
            calls.push('close provider');
            throw new Error('the door is stuck');
          },
        };
      },
    } as const;
    return {
      name: 'recorder',
      apiVersion: 2,
      contributes: { sources: [kind], authProviders: [door] },
      apply: () => void calls.push('apply'),
      close: async () => void calls.push('close plugin'),
      ...more,
    };
  }
  const recorded = {
    sources: [{ name: 'a', recorded: {} }],
    registries: [{ name: 'main', sources: ['a'] }],
    auth: { mode: 'door' },
  };

  it('closes parts in reverse order, once, and continues when one fails', async () => {
    const calls: string[] = [];
    const log = new LogLines();
    const options = bootOptions({
      value: recorded,
      pluginObjects: [{ plugin: recorder(calls) }],
      logDestination: log,
    });
    const kernel = await bootKernel(options);
    await Promise.all([kernel.close(), kernel.close()]);
    await kernel.close();
    expect(calls).to.deep.equal([
      'create source',
      'create provider',
      'apply',
      'close plugin',
      'close provider',
      'close source',
    ]);
    expect(log.records).to.have.length(1);
    expect(log.records[0]).to.include({ level: 'error', part: 'the auth provider "door"' });
  });

  it('closes opened parts when a later step fails', async () => {
    const calls: string[] = [];
    const failing = recorder(calls, {
      apply: () => {
        throw new Error('no ink');
      },
    });
    const options = bootOptions({ value: recorded, pluginObjects: [{ plugin: failing }] });
    expect((await errorOf(() => bootKernel(options))).code).to.equal('ERR_PLUGIN_CREATE');
    expect(calls).to.deep.equal(['create source', 'create provider', 'close provider', 'close source']);
  });

  it('closes earlier sources when one cannot be created', async () => {
    const calls: string[] = [];
    const sources = [
      { name: 'a', recorded: {} },
      { name: 'b', recorded: { fails: true } },
    ];
    const options = bootOptions({
      value: { ...recorded, sources },
      pluginObjects: [{ plugin: recorder(calls) }],
    });
    const error = await errorOf(() => bootKernel(options));
    expect(error.message).to.include('the source "b"').and.to.include('as asked');
    expect(calls).to.deep.equal(['create source', 'create source', 'close source']);
  });

  it('continues to close other parts when one never finishes', async () => {
    const calls: string[] = [];
    const log = new LogLines();
    const stuck = recorder(calls, { close: () => new Promise(() => {}) });
    const options = bootOptions({
      value: recorded,
      pluginObjects: [{ plugin: stuck }],
      logDestination: log,
      pluginTimeoutMs: 20,
    });
    await (await bootKernel(options)).close();
    expect(calls.at(-1)).to.equal('close source');
    expect(log.records[0]).to.include({ level: 'error', part: 'the plugin "recorder"' });
    expect(log.text).to.include('it did not finish within 0.02 s');
  });

  it('closes an instance that is created after its timeout', async () => {
    for (const fails of [false, true]) {
      const log = new LogLines();
      const closed = Promise.withResolvers<void>();
      const arrival = Promise.withResolvers<void>();
      const late = async () => {
        await arrival.promise;
        return {
          verify: async () => undefined,
          identify: () => undefined,
          async close() {
            closed.resolve();
            if (fails) throw new Error('the door is stuck');
          },
        };
      };
      const slow = recorder([], {
        contributes: {
          sources: recorder([]).contributes?.sources ?? [],
          authProviders: [
            {
              kind: 'door',
              hosts: ['registry-server'],
              identifies: false,
              config: { type: 'object' },
              create: late,
            },
          ],
        },
      });
      const options = bootOptions({
        value: recorded,
        pluginObjects: [{ plugin: slow }],
        logDestination: log,
        pluginTimeoutMs: 20,
      });
      expect((await errorOf(() => bootKernel(options))).code).to.equal('ERR_PLUGIN_CREATE');
      arrival.resolve();
      await closed.promise;
      // Mocha's limit is the deadline.
      while (log.records.length === 0) await nextTurn();
      expect(log.records).to.have.length(1);
      expect(log.records[0]).to.include({
        part: 'the auth provider "door"',
        level: fails ? 'error' : 'warn',
      });
    }
  });

  it('closes a plugin whose apply finishes after its timeout', async () => {
    const calls: string[] = [];
    const arrival = Promise.withResolvers<void>();
    const closed = Promise.withResolvers<void>();
    const slow = recorder(calls, { apply: () => arrival.promise, close: async () => closed.resolve() });
    const options = bootOptions({
      value: recorded,
      pluginObjects: [{ plugin: slow }],
      logDestination: new LogLines(),
      pluginTimeoutMs: 20,
    });
    expect((await errorOf(() => bootKernel(options))).code).to.equal('ERR_PLUGIN_CREATE');
    expect(calls.at(-1)).to.equal('close source');
    arrival.resolve();
    await closed.promise;
  });

  it('closes middleware before sources', async () => {
    const calls: string[] = [];
    const handler = () =>
      Object.assign(async () => undefined, { close: async () => void calls.push('close middleware') });
    const plugin = recorder(calls);
    const middleware = [
      {
        kind: 'audit',
        hosts: ['registry-server'],
        placed: { before: 'authenticate' },
        config: { type: 'object' },
        create: handler,
      },
    ] as const;
    const options = bootOptions({
      value: { ...recorded, middleware: { audit: {} } },
      pluginObjects: [{ plugin: { ...plugin, contributes: { ...plugin.contributes, middleware } } }],
      logDestination: new LogLines(),
    });
    await (await bootKernel(options)).close();
    expect(calls.slice(3)).to.deep.equal([
      'close plugin',
      'close middleware',
      'close provider',
      'close source',
    ]);
  });

  it('masks numbers of secret fields in logs', async () => {
    const log = new LogLines();
    const plugin = recorder([], {
      options: { type: 'object', properties: { pin: { type: 'integer', secret: true } } },
      apply: ({ logger }) => logger.info({ number: 271828 }, 'dialled 271828'),
    });
    const options = bootOptions({
      value: recorded,
      pluginObjects: [{ plugin, options: { pin: 271828 } }],
      logDestination: log,
    });
    await (await bootKernel(options)).close();
    expect(log.text).to.include('dialled [secret]').and.not.to.include('271828');
  });

  it('releases all resources after repeated boots', async () => {
    const look = () => ({
      listeners: process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0),
      open: process
        .getActiveResourcesInfo()
        .filter((kind) => kind !== 'Immediate')
        .toSorted(),
    });
    const folder = await folders.create(files);
    const once = (): Promise<void> => withKernel(bootOptions({ searchFrom: folder }), () => undefined);
    await once();
    const before = look();
    for (let boots = 0; boots < 50; boots += 1) await once();
    expect(look()).to.deep.equal(before);
  });

  it('creates nothing when the configuration has a problem', async () => {
    const calls: string[] = [];
    const value = { ...recorded, server: { adress: 'x' } };
    await errorOf(() => bootKernel(bootOptions({ value, pluginObjects: [{ plugin: recorder(calls) }] })));
    expect(calls).to.deep.equal([]);
  });

  it('aborts with the reason of its signal, and closes opened parts', async () => {
    const calls: string[] = [];
    const stop = new AbortController();
    const reason = new Error('the operator left');
    const plugin = recorder(calls, { apply: () => stop.abort(reason) });
    const options = bootOptions({ value: recorded, pluginObjects: [{ plugin }], signal: stop.signal });
    expect(await errorOf(() => bootKernel(options))).to.equal(reason);
    expect(calls).to.deep.equal([
      'create source',
      'create provider',
      'close plugin',
      'close provider',
      'close source',
    ]);
    expect(await errorOf(() => bootKernel(options))).to.equal(reason);
  });

  it('creates the configured middleware, with settings from the environment', async () => {
    const plugin: Plugin = {
      name: 'auditor',
      apiVersion: 2,
      contributes: {
        middleware: ['audit', 'idle'].map((kind) => ({
          kind,
          hosts: ['registry-server'],
          placed: { before: 'authenticate' },
          config: { type: 'object', properties: { file: { type: 'string', default: 'a.log' } } },
          create: ({ file }: { file: string }) => Object.assign(async () => undefined, { file }),
        })),
      },
    };
    const options = bootOptions({
      value: smallConfig({ middleware: { audit: {} } }),
      pluginObjects: [{ plugin }],
      environment: { PORTOLAN_MIDDLEWARE_AUDIT_FILE: 'b.log', PORTOLAN_MIDDLEWARE_IDLE_FILE: 'c.log' },
    });
    await withKernel(options, ({ middleware }) => {
      expect(middleware.map(({ kind }) => kind.kind)).to.deep.equal(['audit']);
      expect(middleware[0]?.handler).to.include({ file: 'b.log' });
    });
  });

  it('passes plugins their context and a logger with their name', async () => {
    const log = new LogLines();
    const fetchOf = async (): Promise<Response> => new Response('x');
    let seen: unknown;
    const plugin: Plugin = {
      name: 'curious',
      apiVersion: 2,
      apply: ({ clock, fetch, directory, logger }) => {
        seen = { now: clock().toISOString(), fetch, directory };
        logger.info({ step: 1 }, 'looked around');
      },
    };
    const clock = (): Date => new Date('2026-05-01T00:00:00Z');
    const options = bootOptions({ pluginObjects: [{ plugin }], logDestination: log, clock, fetch: fetchOf });
    await withKernel(options, (kernel) => {
      expect(seen).to.deep.equal({
        now: '2026-05-01T00:00:00.000Z',
        fetch: fetchOf,
        directory: kernel.directory,
      });
      kernel.contextFor('later').logger.warn({}, 'came later');
    });
    expect(log.records.map(({ level, plugin: name, msg }) => [level, name, msg])).to.deep.equal([
      ['info', 'curious', 'looked around'],
      ['warn', 'later', 'came later'],
    ]);
  });

  it('logs a warning for an unknown variable', async () => {
    const log = new LogLines();
    const options = bootOptions({ environment: { PORTOLAN_SERVER_ADRES: ':1' }, logDestination: log });
    await withKernel(options, () => undefined);
    expect(log.records[0]).to.include({ level: 'warn' });
    expect(log.text).to.include('did you mean PORTOLAN_SERVER_ADDRESS?');
  });

  it('does not change the given configuration', async () => {
    const value = smallConfig();
    const before = structuredClone(value);
    await withKernel(bootOptions({ value, environment: { PORTOLAN_SERVER_ADDRESS: ':1' } }), () => undefined);
    expect(value).to.deep.equal(before);
    expect(basePlugin.contributes?.sources).to.have.length(2);
  });
});
