import { rename, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { basename, join } from 'node:path';
import { type Plugin, PortolanError, type Source } from '@portolan/plugin-api';
import { readContext } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { type Kernel, problemsOf } from '../../../src/index.ts';
import {
  bootOptions,
  errorOf,
  Folders,
  LogLines,
  smallConfig,
  withKernel,
} from '../../support/test-context.ts';

const ABORT = new AbortController().signal;

/** A kind `page` that reads a file or an address; it tells of what happens to it in `calls`. */
function pagePlugin(calls: string[]): Plugin {
  return {
    name: 'pages',
    apiVersion: 2,
    contributes: {
      sources: [
        {
          kind: 'page',
          claimsFrom: 'source',
          config: {
            type: 'object',
            oneOfKeys: [['path'], ['url']],
            properties: {
              path: { type: 'string', format: 'path' },
              url: { type: 'string', secret: true },
              token: { type: 'string', secret: true },
              pin: { type: 'integer', secret: true },
              key: { type: 'string' },
              depth: { type: 'integer', default: 1, maximum: 3 },
            },
          },
          reaches: ({ path, url, key }: { path?: string; url?: string; key?: string }) => ({
            files: path === undefined ? [] : [path],
            urls: url === undefined ? [] : [url],
            ...(key === undefined ? {} : { refused: [{ place: 'key', found: 'a key', expected: 'none' }] }),
          }),
          check: ({ path, url, depth }: Record<string, unknown>, { directory }) => {
            calls.push(`check ${String(path ?? url)} in ${basename(directory)}`);
            if (depth !== 0) return [];
            const more = url === undefined ? [] : [{ place: 'url', found: 'a page', expected: 'another' }];
            return [...more, { place: 'depth', found: '0', expected: 'a depth' }];
          },
          create: ({ url, depth }: { url?: string; depth: number }, { fetch, openFetch, findRoute }) => {
            if (depth === 3)
              throw new PortolanError('ERR_PAGE_DEEP', 'fault', 'Too deep.', { hint: 'Be shallow.' });
            if (depth === 2) throw new Error('the secret plan failed');
            calls.push('create');
            const source: Source = {
              async *readEntries() {
                if (url === undefined) return;
                const opened = await openFetch({ allowPrivateAddresses: true });
                for (const one of [fetch, opened.fetch]) calls.push(await (await one(url)).text());
                const { hostname: host, port } = new URL(url);
                calls.push(
                  `to ${String((await findRoute({ scheme: 'http', host, port: Number(port) })).addresses)}`,
                );
                await opened.close();
                yield { skipped: 'all', because: 'This is a test.' };
              },
              fingerprint: async () => 'print',
              close: async () => void calls.push('close'),
            };
            return source;
          },
        },
        {
          kind: 'broken',
          claimsFrom: 'entry',
          config: { type: 'object' },
          reaches: () => {
            throw new Error('no map');
          },
          create: () => expect.fail('created'),
        },
      ],
    },
  };
}

async function everything(source: Source): Promise<readonly unknown[]> {
  const entries: unknown[] = [];
  for await (const entry of source.readEntries(ABORT, readContext())) entries.push(entry);
  return entries;
}

describe('sources created through the API', () => {
  const folders = new Folders();
  let calls: string[];
  beforeEach(() => {
    calls = [];
  });
  afterEach(() => folders.removeAll());

  const within = async (
    run: (kernel: Kernel, directory: string) => Promise<void>,
    apiSources: Record<string, unknown> = {},
    more: Parameters<typeof bootOptions>[0] = {},
  ): Promise<void> => {
    const directory = await folders.create({ 'shared/a.txt': 'a', 'secret.txt': 's' });
    const options = bootOptions({
      config: { value: smallConfig({ apiSources }), directory },
      pluginObjects: [{ plugin: pagePlugin(calls) }],
      ...more,
    });
    await withKernel(options, async (kernel) => await run(kernel, directory));
  };
  const shared = { allowedDirectories: ['shared'] };

  describe('checkSource', () => {
    it('validates a source like one of the configuration, sets defaults and closes the instance', async () => {
      await within(async (kernel) => {
        const given = {
          page: { path: 'shared/a.txt' },
          syncPolicy: { interval: '30m' },
          claims: { Org: ['acme'] },
          filter: null,
        };
        expect(await kernel.checkSource('made', given)).to.deep.equal({
          name: 'made',
          kind: 'page',
          block: { path: 'shared/a.txt', depth: 1 },
          intervalMs: 1_800_000,
          filter: undefined,
          claims: { Org: ['acme'] },
          claimsFrom: 'source',
          variant: 'path',
          variants: [['path'], ['url']],
        });
        expect(calls).to.deep.equal([
          `check shared/a.txt in ${basename(kernel.directory)}`,
          'create',
          'close',
        ]);
        expect(given.page).to.deep.equal({ path: 'shared/a.txt' });
      }, shared);
    });

    const interval = { syncPolicy: { interval: '1h' } };
    const page = { path: 'shared/a.txt' };
    const cases: readonly {
      title: string;
      name?: string;
      definition: unknown;
      problems: readonly string[];
    }[] = [
      { title: 'a body that is not a map', definition: [], problems: ['(root): no map'] },
      {
        title: 'an invalid name',
        name: 'Made!',
        definition: { page, ...interval },
        problems: ['name: "Made!"'],
      },
      {
        title: 'another name in the body',
        definition: { name: 'other', page, ...interval },
        problems: ['name: another name'],
      },
      { title: 'no kind', definition: interval, problems: ['(root): no kind'] },
      {
        title: 'two kinds',
        definition: { page, inbox: {}, ...interval },
        problems: ['(root): inbox and page'],
      },
      { title: 'an unknown kind', definition: { pag: page, ...interval }, problems: ['pag: an unknown key'] },
      {
        title: 'an interval of zero',
        definition: { page, syncPolicy: { interval: '9s' } },
        problems: ['syncPolicy.interval: "9s"'],
      },
      { title: 'no interval', definition: { page }, problems: ['syncPolicy.interval: nothing'] },
      {
        title: 'several problems at once',
        definition: { page: { depth: 9, path: 5 }, syncPolicy: { interval: 'soon' }, claims: { org: 1 } },
        problems: ['syncPolicy.interval: "soon"', 'claims.org: a number', 'page.path: 5', 'page.depth: 9'],
      },
      {
        title: 'an empty block',
        definition: { page: null, ...interval },
        problems: ['page: nothing (null)'],
      },
      {
        title: 'two locations',
        definition: { page: { ...page, url: 'https://a.example' }, ...interval },
        problems: ['page: path and url'],
      },
      {
        title: 'a file outside of the permitted directories',
        definition: { page: { path: '../secret.txt' }, ...interval },
        problems: ['page.path: "../secret.txt"'],
      },
      {
        title: 'a private address',
        definition: { page: { url: 'http://169.254.169.254/latest' }, ...interval },
        problems: ['page.url: the address 169.254.169.254'],
      },
      {
        title: 'a password in an address',
        definition: { page: { url: 'https://a:hunter2@b.example/' }, ...interval },
        problems: ['page.url: an address with a user or password'],
      },
      {
        title: 'a reference in an address',
        definition: { page: { url: 'https://b.example/${HOME}' }, ...interval },
        problems: ['page.url: a reference'],
      },
      {
        title: 'secrets',
        definition: { page: { ...page, token: 'hunter2', pin: 271828 }, ...interval },
        problems: ['page.token: a value that is not shown', 'page.pin: a value that is not shown'],
      },
      {
        title: 'problems of the kind after those of the server at the same place',
        definition: { page: { url: 'https://a:hunter2@b.example/', depth: 0 }, ...interval },
        problems: ['page.url: an address with a user or password', 'page.depth: 0'],
      },
      {
        title: 'problems of the kind',
        definition: { page: { ...page, depth: 0 } },
        problems: ['syncPolicy.interval: nothing', 'page.depth: 0'],
      },
      {
        title: 'a setting that the kind permits only in the configuration file',
        definition: { page: { ...page, key: './operators.pem', depth: 0 }, ...interval },
        problems: ['page.key: a key'],
      },
      {
        title: 'a kind without a function reaches',
        definition: { memo: { text: 'x' }, ...interval },
        problems: ['memo: memo'],
      },
      {
        title: 'a filter of a managed source',
        definition: { inbox: {}, filter: {} },
        problems: ['filter: a filter'],
      },
    ];
    for (const { title, name = 'made', definition, problems } of cases) {
      it(`rejects ${title}`, async () => {
        await within(async (kernel) => {
          const error = await errorOf(() => kernel.checkSource(name, definition));
          expect(error.code).to.equal('ERR_SOURCE_INVALID');
          expect(problemsOf(error).map(({ place, found }) => `${place}: ${found}`)).to.deep.equal(problems);
          expect(error.message).not.to.match(/hunter2|271828/);
          for (const { place } of problemsOf(error)) expect(error.message).to.include(`${place}: found `);
          expect(calls).not.to.include('create');
        }, shared);
      });
    }

    it('rejects 130,000 problems without a stack overflow', async () => {
      await within(async (kernel) => {
        const unknown = Object.fromEntries(
          Array.from({ length: 130_000 }, (_, index) => [`unknown${index}`, 0]),
        );
        const error = await errorOf(() =>
          kernel.checkSource('made', { page: { path: 'a.txt', ...unknown } }),
        );
        expect(error.code).to.equal('ERR_SOURCE_INVALID');
        expect(problemsOf(error).length).to.be.at.least(130_000);
      }, shared);
    });

    it('does not call the kind for a file outside of the permitted directories', async () => {
      await within(async (kernel) => {
        const definition = { page: { path: 'secret.txt', depth: 0 }, ...interval };
        const error = await errorOf(() => kernel.checkSource('made', definition));
        expect(problemsOf(error).map(({ place }) => place)).to.deep.equal(['page.path']);
        expect(calls).to.deep.equal([]);
      }, shared);
    });

    it('passes on the error of a kind that cannot create it', async () => {
      await within(async (kernel) => {
        const definition = { page: { ...page, depth: 3 }, ...interval };
        const error = await errorOf(() => kernel.checkSource('made', definition));
        expect(error).to.include({ code: 'ERR_SOURCE_INVALID', hint: 'Be shallow.' });
        expect(error.message).to.equal('The source is invalid. Too deep.');
        const other = await errorOf(() =>
          kernel.checkSource('made', { page: { ...page, depth: 2 }, ...interval }),
        );
        expect(other.code).to.equal('ERR_PLUGIN_CREATE');
      }, shared);
    });

    it('names the plugin when its function `reaches` fails', async () => {
      await within(async (kernel) => {
        const error = await errorOf(() => kernel.checkSource('made', { broken: {} }));
        expect(error.code).to.equal('ERR_PLUGIN_SHAPE');
        expect(error.message).to.include('"pages"').and.to.include('no map');
      });
    });

    it('accepts a kind without settings', async () => {
      await within(async (kernel) => {
        const checked = await kernel.checkSource('made', { inbox: {} });
        expect(checked).to.include({
          kind: 'inbox',
          claimsFrom: 'publisher',
          intervalMs: undefined,
          variant: '',
        });
      });
    });
  });

  it('accepts a shipped kind that the configuration does not use, and imports it', async () => {
    const folder = await folders.create({
      'package.json': JSON.stringify({
        name: 'lazy',
        type: 'module',
        exports: './index.js',
        portolan: { plugin: '.', apiVersion: 2 },
      }),
      'index.js': `
        const wiki = { kind: 'wiki', claimsFrom: 'source', config: { type: 'object' },
          create: () => ({ async *readEntries() {} }) };
        export default { name: 'lazy', apiVersion: 2, contributes: { sources: [wiki] },
          apply: ({ logger }) => logger.info({}, 'applied'), close: async () => { throw new Error('closed'); } };`,
    });
    const shipped = { sources: { wiki: folder, gone: './nowhere' }, authProviders: {}, middleware: {} };
    const log = new LogLines();
    const run = async (kernel: Kernel): Promise<void> => {
      expect(kernel.sourceKinds).to.include.members(['memo', 'page', 'wiki', 'gone']);
      expect(kernel.kinds.sources.has('wiki')).to.equal(false);
      expect(log.text).to.equal('');
      const definition = { wiki: {}, syncPolicy: { interval: '1h' } };
      const all = await Promise.all([
        kernel.checkSource('a', definition),
        kernel.checkSource('b', definition),
        kernel.createSource({ name: 'c', kind: 'wiki', block: {} }),
      ]);
      expect(all[0].kind).to.equal('wiki');
      expect(all[2].kind.kind).to.equal('wiki');
      const gone = await errorOf(() => kernel.checkSource('d', { gone: {} }));
      expect(gone.code).to.equal('ERR_PLUGIN_NOT_FOUND');
    };
    await within(run, {}, { shipped, shippedFrom: join(folder, 'index.js'), logDestination: log });
    expect(log.records.map(({ msg }) => msg)).to.deep.equal(['applied', 'closing a part failed']);
  });

  it('createSource › reads permitted files, and closes the source with its connections', async () => {
    await within(async (kernel) => {
      const source = { name: 'made', kind: 'page', block: { path: 'shared/a.txt' } };
      const { kind, instance } = await kernel.createSource(source);
      expect(kind.kind).to.equal('page');
      expect(await everything(instance)).to.deep.equal([]);
      expect(await instance.fingerprint?.(ABORT, readContext())).to.equal('print');
      expect('watch' in instance).to.equal(false);
      await instance.close?.();
      expect(calls).to.deep.equal(['create', 'close']);
    }, shared);
  });

  it('createSource › rejects a stored definition that is no longer permitted, or has an unknown kind', async () => {
    await within(async (kernel) => {
      const source = { name: 'made', kind: 'page', block: { path: 'shared/a.txt' } };
      expect((await errorOf(() => kernel.createSource(source))).code).to.equal('ERR_SOURCE_INVALID');
      const gone = await errorOf(() => kernel.createSource({ ...source, kind: 'paeg' }));
      expect(problemsOf(gone)[0]).to.include({ place: 'paeg', found: 'an unknown kind', didYouMean: 'page' });
    });
  });

  it('stop reading a file that became a symbolic link to a forbidden place', async () => {
    await within(async (kernel, directory) => {
      const file = join(directory, 'shared/a.txt');
      const { instance } = await kernel.createSource({ name: 'made', kind: 'page', block: { path: file } });
      await everything(instance);
      await rm(file);
      await symlink(join(directory, 'secret.txt'), file);
      expect((await errorOf(() => everything(instance))).code).to.equal('ERR_SOURCE_INVALID');
      expect((await errorOf(() => instance.fingerprint?.(ABORT, readContext()))).code).to.equal(
        'ERR_SOURCE_INVALID',
      );
      await rm(file);
      await writeFile(join(directory, 'shared/b.txt'), 'b');
      await rename(join(directory, 'shared/b.txt'), file);
      expect(await everything(instance)).to.deep.equal([]);
      await instance.close?.();
    }, shared);
  });

  describe('with a network address', () => {
    let server: Server;
    let port: number;
    let redirect: string | undefined;
    beforeEach(async () => {
      redirect = undefined;
      server = createServer((request, response) => {
        if (redirect === undefined || request.url === '/end') response.end('page');
        else response.writeHead(302, { location: redirect }).end();
      });
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      const address = server.address();
      port = typeof address === 'object' && address !== null ? address.port : 0;
    });
    afterEach(() => {
      server.closeAllConnections();
      server.close();
    });
    const read = async (kernel: Kernel, host = '127.0.0.1'): Promise<Error & { code?: string }> => {
      const url = `http://${host}:${port}/`;
      const { instance } = await kernel.createSource({ name: 'made', kind: 'page', block: { url } });
      try {
        return await errorOf(() => everything(instance));
      } finally {
        await instance.close?.();
      }
    };

    it('reads from it when the configuration permits it', async () => {
      const allowed = { allowedHosts: ['127.0.0.1'], allowPrivateAddresses: true };
      await within(async (kernel) => {
        const block = { url: `http://127.0.0.1:${port}/` };
        const { instance } = await kernel.createSource({ name: 'made', kind: 'page', block });
        expect(await everything(instance)).to.have.length(1);
        await instance.close?.();
        expect(calls).to.deep.equal(['create', 'page', 'page', 'to 127.0.0.1', 'close']);
      }, allowed);
    });

    it('cannot reach a name that resolves to a private address', async () => {
      await within(async (kernel) => {
        expect((await read(kernel, 'localhost')).code).to.equal('ERR_ADDRESS_FORBIDDEN');
        expect(calls).to.deep.equal(['create', 'close']);
      });
    });

    it('cannot reach another host by a redirect', async () => {
      redirect = `http://localhost:${port}/end`;
      await within(
        async (kernel) => {
          expect((await read(kernel)).code).to.equal('ERR_ADDRESS_FORBIDDEN');
          expect(calls).to.deep.equal(['create', 'close']);
        },
        { allowedHosts: ['127.0.0.1'], allowPrivateAddresses: true },
      );
    });
  });

  it('do not limit sources of the configuration file', async () => {
    const log = new LogLines();
    const value = smallConfig({
      sources: [
        { name: 'notes', page: { path: '/etc/hostname', token: 'hunter2' }, syncPolicy: { interval: '1h' } },
      ],
    });
    const options = bootOptions({
      value,
      pluginObjects: [{ plugin: pagePlugin(calls) }],
      logDestination: log,
    });
    await withKernel(options, ({ sources }) => {
      expect(sources.has('notes')).to.equal(true);
    });
    expect(log.text).to.equal('');
  });
});
