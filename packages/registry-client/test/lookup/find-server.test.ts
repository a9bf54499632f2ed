import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FakeClock, inTime } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { findServer, type ServerMatch } from '../../src/lookup/find-server.ts';
import { caught } from '../../../../test/support/caught.ts';
import { lookupContext } from '../support/lookup-context.ts';
import {
  apiWith,
  type ScriptedRegistry,
  sendJson,
  serverDocument,
  startScriptedRegistry,
} from '../../../../test/support/scripted-registry.ts';
import { TemporaryFolders } from '../../../../test/support/temporary-folders.ts';

const NOTES = serverDocument('dev.acme/notes');
const WEATHER = serverDocument('dev.acme/weather');
const OTHER_WEATHER = serverDocument('org.example/weather');
const HOUR_MS = 3_600_000;

async function found(searching: ReturnType<typeof findServer>): Promise<ServerMatch> {
  const answer = await searching;
  if (!answer.isFound) throw new Error('the server was not found');
  return answer;
}

describe('findServer', () => {
  const folders = new TemporaryFolders();
  const registries: ScriptedRegistry[] = [];
  let folder = '';

  beforeEach(async () => {
    folder = await folders.make();
  });
  afterEach(async () => {
    for (const registry of registries.splice(0)) await registry.close();
    await folders.removeAll();
  });

  async function start(...args: Parameters<typeof startScriptedRegistry>): Promise<ScriptedRegistry> {
    const registry = await startScriptedRegistry(...args);
    registries.push(registry);
    return registry;
  }

  async function fileWith(content: unknown): Promise<string> {
    const file = path.join(folder, 'catalogue.json');
    await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  }

  it('finds nothing without a configured registry', async () => {
    expect(await findServer('dev.acme/notes', lookupContext(folder))).to.deep.equal({
      isFound: false,
      registry: undefined,
    });
  });

  describe('with a registry API', () => {
    for (const repository of [{}, { url: '', source: '' }]) {
      it(`finds an entry whose repository is empty (official registry 1546): ${JSON.stringify(repository)}`, async () => {
        const entry = { ...NOTES, repository };
        const { url } = await start(apiWith([entry], '/registry/main'));
        const context = lookupContext(folder, { registryApiUrl: `${url}/registry/main` });
        expect((await found(findServer('dev.acme/notes', context))).document).to.deep.equal(entry);
      });
    }

    it('requests the newest version by the full name', async () => {
      const api = await start(apiWith([NOTES, WEATHER], '/registry/main'));
      const base = `${api.url}/registry/main`;
      const answer = await found(
        findServer('dev.acme/notes', lookupContext(folder, { registryApiUrl: base })),
      );
      expect(answer).to.deep.include({
        name: 'dev.acme/notes',
        document: NOTES,
        registry: base,
        warnings: [],
      });
      expect(answer.registryFields).to.deep.equal({ registry_api_url: base });
      expect(answer.settings.runs).to.deep.equal({ form: 'image', image: 'ghcr.io/acme/notes:1.0.0' });
      expect(api.requests).to.deep.equal(['/registry/main/v0.1/servers/dev.acme%2Fnotes/versions/latest']);
    });

    it('accepts the address of the API with and without its version', async () => {
      const api = await start(apiWith([NOTES]));
      for (const end of ['/', '/v0.1', '/v0.1/', '/v0.1/servers']) {
        const context = lookupContext(folder, { registryApiUrl: `${api.url}${end}` });
        expect((await found(findServer('dev.acme/notes', context))).registry).to.equal(api.url);
      }
    });

    it('comes before a catalogue URL, and that before a local file', async () => {
      const api = await start(apiWith([NOTES]));
      const file = await fileWith({ data: { servers: [] } });
      const both = { registryUrl: `${api.url}/gone.json`, localRegistryPath: file };
      const first = lookupContext(folder, { ...both, registryApiUrl: api.url });
      expect(await findServer('dev.acme/notes', first)).to.include({ isFound: true });
      expect(await caught(() => findServer('dev.acme/notes', lookupContext(folder, both)))).to.include({
        code: 'ERR_LOOKUP_STATUS',
      });
    });

    it('finds the only server of a short name among other search results', async () => {
      const longer = serverDocument('dev.acme/notes-archive');
      const api = await start(apiWith([longer, NOTES]));
      const context = lookupContext(folder, { registryApiUrl: api.url });
      expect(await findServer('notes', context)).to.include({ isFound: true, name: 'dev.acme/notes' });
    });

    it('reads every page of a search before it accepts a short name', async () => {
      const many = Array.from({ length: 150 }, (_, at) => serverDocument(`dev.acme/weather-${at}`));
      const api = await start(apiWith([WEATHER, ...many, OTHER_WEATHER]));
      const error = await caught(() =>
        findServer('weather', lookupContext(folder, { registryApiUrl: api.url })),
      );
      expect(error).to.include({ code: 'ERR_SERVER_AMBIGUOUS' });
      expect(error.message).to.contain('\n  dev.acme/weather\n  org.example/weather');
    });

    it('suggests the most similar name', async () => {
      const api = await start(apiWith([NOTES, WEATHER]));
      const context = lookupContext(folder, { registryApiUrl: api.url });
      for (const [name, didYouMean] of [
        ['note', 'dev.acme/notes'],
        ['wheather', 'dev.acme/weather'],
        ['dev.acme/note', 'dev.acme/notes'],
        ['dev.acmee/weather', 'dev.acme/weather'],
      ] as const) {
        const answer = await findServer(name, context);
        expect(answer, name).to.deep.equal({ isFound: false, registry: api.url, didYouMean });
      }
    });

    it('returns not found for an unknown name, short or full', async () => {
      const api = await start(apiWith([NOTES]));
      const context = lookupContext(folder, { registryApiUrl: api.url });
      for (const name of ['dev.acme/gone', 'gone', 'org.example/other']) {
        expect(await findServer(name, context), name).to.deep.equal({ isFound: false, registry: api.url });
      }
    });

    it('283525, B11 › finds a server in the list of a registry of static files', async () => {
      const list = { servers: [{ server: NOTES }, { server: WEATHER }], metadata: { count: 2 } };
      const files = await start(({ pathname }, response) => {
        if (!pathname.endsWith('/v0.1/servers')) response.writeHead(404).end('<html>');
        else
          response.writeHead(200, { 'Content-Type': 'application/octet-stream' }).end(JSON.stringify(list));
      });
      const context = lookupContext(folder, { registryApiUrl: files.url });
      expect((await found(findServer('dev.acme/weather', context))).document).to.deep.equal(WEATHER);
      const missing = await findServer('dev.acme/wether', context);
      expect(missing).to.deep.equal({ isFound: false, registry: files.url, didYouMean: 'dev.acme/weather' });
    });

    it('283525, B11 › never suggests the requested name', async () => {
      // The search has the server, and its address gives another status.
      const odd = await start(({ pathname, searchParams }, response) => {
        if (!pathname.endsWith('/v0.1/servers')) sendJson(response, { error: 'No.' }, 404);
        else
          sendJson(response, {
            servers: searchParams.has('search') ? [] : [{ server: NOTES }],
            metadata: {},
          });
      });
      const context = lookupContext(folder, { registryApiUrl: odd.url });
      const missing = await findServer('dev.acme/notes', context);
      expect(missing).to.deep.equal({ isFound: false, registry: odd.url });
    });

    it('throws for a 404 response that is not of the API', async () => {
      const api = await start((_path, response) => void response.writeHead(404).end('<html>'));
      const context = lookupContext(folder, { registryApiUrl: api.url });
      expect(await caught(() => findServer('dev.acme/notes', context))).to.include({
        code: 'ERR_LOOKUP_STATUS',
      });
    });

    it('warns about a deprecated server, and does not return a withdrawn one', async () => {
      const status = (value: string): object => ({
        'io.modelcontextprotocol.registry/official': { status: value, statusMessage: 'Use dev.acme/notes2' },
      });
      let current = 'deprecated';
      const api = await start(({ pathname }, response) => {
        if (pathname.endsWith('/latest')) sendJson(response, { server: NOTES, _meta: status(current) });
        else sendJson(response, { servers: [], metadata: {} });
      });
      const context = lookupContext(folder, { registryApiUrl: api.url });
      expect((await found(findServer('dev.acme/notes', context))).warnings).to.deep.equal([
        'dev.acme/notes is deprecated: Use dev.acme/notes2',
      ]);
      current = 'deleted';
      expect(await findServer('dev.acme/notes', context)).to.include({ isFound: false });
    });

    it('rejects a response about another server', async () => {
      const api = await start((_path, response) => sendJson(response, { server: WEATHER, _meta: {} }));
      const context = lookupContext(folder, { registryApiUrl: api.url });
      expect(await caught(() => findServer('dev.acme/notes', context))).to.include({
        code: 'ERR_REGISTRY_RESPONSE',
      });
    });

    it('stops at pages in a loop', async () => {
      const api = await start((_path, response) => {
        sendJson(response, { servers: [], metadata: { nextCursor: 'again' } });
      });
      const error = await caught(() =>
        findServer('notes', lookupContext(folder, { registryApiUrl: api.url })),
      );
      expect(error.message).to.contain('lead back');
    });

    it('stops above 10,000 servers', async () => {
      const many = Array.from({ length: 10_001 }, (_, at) => ({ name: `dev.acme/notes-${at}` }));
      const api = await start(apiWith(many));
      const error = await caught(() =>
        findServer('notes', lookupContext(folder, { registryApiUrl: api.url })),
      );
      expect(error).to.include({ code: 'ERR_LOOKUP_TOO_LARGE' });
    });
  });

  describe('errors', () => {
    const answers: readonly {
      title: string;
      code: string;
      answer: Parameters<typeof startScriptedRegistry>[0];
    }[] = [
      {
        title: 'HTML with status 200',
        code: 'ERR_REGISTRY_RESPONSE',
        answer: (_path, response) => void response.setHeader('Content-Type', 'text/html').end('<html>Hello'),
      },
      {
        title: 'status 500',
        code: 'ERR_LOOKUP_STATUS',
        answer: (_path, response) => void response.writeHead(500).end('{}'),
      },
      {
        title: 'status 401',
        code: 'ERR_LOOKUP_UNAUTHORIZED',
        answer: (_path, response) => void response.writeHead(401).end(),
      },
      {
        title: 'a truncated response',
        code: 'ERR_REGISTRY_UNREACHABLE',
        answer: (_path, response) => {
          response.writeHead(200, { 'Content-Length': '1000' }).write('{"servers"');
          setImmediate(() => response.destroy());
        },
      },
      {
        title: 'a response above the maximum size',
        code: 'ERR_LOOKUP_TOO_LARGE',
        answer: (_path, response) => void response.end(Buffer.alloc(11 * 1024 * 1024, 32)),
      },
      {
        title: 'endless redirects',
        code: 'ERR_REGISTRY_RESPONSE',
        answer: (path_, response) => void response.writeHead(302, { Location: path_.pathname }).end(),
      },
      {
        title: 'a redirect to a file',
        code: 'ERR_LOOKUP_ADDRESS',
        answer: (_path, response) => void response.writeHead(302, { Location: 'file:///etc/passwd' }).end(),
      },
    ];
    for (const { title, code, answer } of answers) {
      it(`${title} is ${code}, with the address`, async () => {
        const api = await start(answer);
        for (const name of ['dev.acme/notes', 'notes']) {
          const error = await caught(() =>
            findServer(name, lookupContext(folder, { registryApiUrl: api.url })),
          );
          expect(error).to.include({ code });
          expect(error.message).to.contain(api.url);
        }
      });
    }

    it('a registry that is down is ERR_REGISTRY_UNREACHABLE', async () => {
      const api = await start(apiWith([NOTES]));
      await api.close();
      const error = await caught(() =>
        findServer('dev.acme/notes', lookupContext(folder, { registryApiUrl: api.url })),
      );
      expect(error).to.include({ code: 'ERR_REGISTRY_UNREACHABLE' });
      expect(error.message).to.contain('nothing listens there');
    });

    it('a registry that never responds ends with the signal', async () => {
      const stop = new AbortController();
      const api = await start(() => stop.abort(new Error('stopped')));
      const context = lookupContext(folder, { registryApiUrl: api.url });
      const searching = findServer('dev.acme/notes', context, stop.signal);
      await inTime(
        'the end of the look-up',
        searching.then(
          () => expect.fail('it was found'),
          (error: unknown) => expect(String(error)).to.equal('Error: stopped'),
        ),
      );
    });
  });

  describe('addresses', () => {
    it('must be https', async () => {
      const context = lookupContext(folder, {
        registryApiUrl: 'http://registry.acme.example',
        allowPrivateRegistryAddress: false,
      });
      expect(await caught(() => findServer('notes', context))).to.include({ code: 'ERR_LOOKUP_ADDRESS' });
    });

    it('are shown without password and query', async () => {
      const registryApiUrl = 'https://ada:s3cret@registry.acme.example/?key=s3cret';
      const error = await caught(() => findServer('notes', lookupContext(folder, { registryApiUrl })));
      expect(error).to.include({ code: 'ERR_LOOKUP_ADDRESS' });
      expect(`${error.message}${error.hint}`).not.to.contain('s3cret');
    });

    for (const host of ['127.0.0.1', 'localhost', '[::ffff:127.0.0.1]', '2130706433']) {
      it(`treat ${host} as private`, async () => {
        const registryApiUrl = `https://${host}:8443`;
        const context = lookupContext(folder, { registryApiUrl, allowPrivateRegistryAddress: false });
        expect(await caught(() => findServer('notes', context))).to.include({
          code: 'ERR_LOOKUP_PRIVATE_ADDRESS',
        });
      });
    }

    it('must not redirect to a private address', async () => {
      const api = await start((_path, response) => {
        response.writeHead(302, { Location: 'https://127.0.0.1:8443/v0.1/servers' }).end();
      });
      const usual = lookupContext(folder);
      // Stands in for a public host: only what leads elsewhere is looked at.
      const openFetch: typeof usual.openFetch = async (options) => {
        const [guarded, open] = [
          await usual.openFetch(options),
          await usual.openFetch({ allowPrivateAddresses: true }),
        ];
        return {
          fetch: async (input, init) => {
            const url = input instanceof Request ? input.url : String(input);
            const isPublic = url.startsWith('https://registry.acme.example');
            const there = url.replace('https://registry.acme.example', api.url);
            return await (isPublic ? open : guarded).fetch(there, init);
          },
          close: async () => {
            await open.close();
            await guarded.close();
          },
        };
      };
      const context = lookupContext(
        folder,
        { registryApiUrl: 'https://registry.acme.example', allowPrivateRegistryAddress: false },
        { openFetch },
      );
      const error = await caught(() => findServer('notes', context));
      expect(error).to.include({ code: 'ERR_LOOKUP_PRIVATE_ADDRESS' });
      expect(error.message).to.contain('redirects to a private IP address, which is not allowed');
    });
  });

  describe('with a token', () => {
    it('sends the token of the file to the registry, and not to a redirect on another loopback port', async () => {
      const other = await start(apiWith([NOTES]));
      const api = await start(({ pathname }, response) => {
        response.writeHead(307, { Location: `${other.url}${pathname}` }).end();
      });
      const file = path.join(folder, 'token');
      await writeFile(file, 'abc.def\n');
      const context = lookupContext(
        folder,
        { registryApiUrl: api.url },
        { environment: { PORTOLAN_REGISTRY_TOKEN_FILE: file } },
      );
      expect(await caught(() => findServer('dev.acme/notes', context))).to.include({
        code: 'ERR_LOOKUP_PRIVATE_ADDRESS',
      });
      expect(api.tokens).to.deep.equal(['Bearer abc.def']);
      expect(other.tokens).to.deep.equal([]);
    });

    it('does not send it over http, and throws for an empty file', async () => {
      const file = path.join(folder, 'token');
      await writeFile(file, 'two words');
      const environment = { PORTOLAN_REGISTRY_TOKEN_FILE: file };
      for (const [registryApiUrl, code] of [
        ['http://registry.acme.example', 'ERR_LOOKUP_ADDRESS'],
        ['https://registry.acme.example', 'ERR_NAMED_FILE'],
      ] as const) {
        const context = lookupContext(folder, { registryApiUrl }, { environment });
        const error = await caught(() => findServer('notes', context));
        expect(error).to.include({ code });
        expect(error.message).not.to.contain('two words');
      }
    });
  });

  describe('with a catalogue', () => {
    const legacy = {
      servers: { fetch: { image: 'ghcr.io/acme/fetch:2.0.0', transport: 'stdio', description: 'Fetches' } },
      remote_servers: { maps: { url: 'https://maps.acme.example/mcp', transport: 'streamable-http' } },
      groups: {},
    };

    it('reads a file in the upstream format', async () => {
      const file = await fileWith({ version: '1.0.0', data: { servers: [NOTES, WEATHER, OTHER_WEATHER] } });
      const context = lookupContext(folder, { localRegistryPath: file });
      const answer = await found(findServer('notes', context));
      expect(answer).to.include({ name: 'dev.acme/notes', registry: file });
      expect(answer.registryFields).to.deep.equal({});
      expect(await caught(() => findServer('weather', context))).to.include({ code: 'ERR_SERVER_AMBIGUOUS' });
      expect(await findServer('gone', context)).to.deep.equal({ isFound: false, registry: file });
    });

    it('reads a legacy file, by the key and by the full name', async () => {
      const context = lookupContext(folder, { localRegistryPath: await fileWith(legacy) });
      for (const name of ['fetch', 'io.github.stacklok/fetch']) {
        const { settings } = await found(findServer(name, context));
        expect(settings.runs).to.deep.equal({ form: 'image', image: 'ghcr.io/acme/fetch:2.0.0' });
      }
      const { settings } = await found(findServer('maps', context));
      expect(settings.runs).to.deep.equal({
        form: 'remote',
        url: { text: 'https://maps.acme.example/mcp', inputs: [] },
      });
    });

    it('returns the newest of several versions', async () => {
      const versions = ['1.2.0', '1.10.0', '1.9.0'].map((version) =>
        serverDocument('dev.acme/notes', { version }),
      );
      const context = lookupContext(folder, {
        localRegistryPath: await fileWith({ data: { servers: versions } }),
      });
      expect((await found(findServer('notes', context))).settings.version).to.equal('1.10.0');
    });

    it('returns npm and PyPI packages with their schemes, and a remote with its variables', async () => {
      const npm = {
        ...serverDocument('dev.acme/n'),
        packages: [
          { registryType: 'npm', identifier: '@acme/n', version: '2.0.0', transport: { type: 'stdio' } },
        ],
      };
      const pypi = {
        ...serverDocument('dev.acme/p'),
        packages: [
          { registryType: 'pypi', identifier: 'acme-p', version: '3.0', transport: { type: 'stdio' } },
        ],
      };
      const remote = {
        name: 'dev.acme/r',
        version: '1.0.0',
        remotes: [
          {
            type: 'sse',
            url: 'https://{tenant}.acme.example/sse',
            variables: { tenant: { isRequired: true, description: 'Tenant' } },
          },
        ],
      };
      const file = await fileWith({ data: { servers: [npm, pypi, remote] } });
      const context = lookupContext(folder, { localRegistryPath: file });
      const form = async (name: string): Promise<unknown> =>
        (await found(findServer(name, context))).settings.runs;
      expect(await form('n')).to.deep.equal({ form: 'package', scheme: 'npx', package: '@acme/n@2.0.0' });
      expect(await form('p')).to.deep.equal({ form: 'package', scheme: 'uvx', package: 'acme-p@3.0' });
      expect(await form('r')).to.have.nested.property('url.inputs[0].name', 'tenant');
    });

    for (const [title, content] of [
      ['broken JSON', '{"data"'],
      ['something else', '{"hello": 1}'],
      ['nothing', ''],
    ] as const) {
      it(`rejects a file with ${title}`, async () => {
        const context = lookupContext(folder, { localRegistryPath: await fileWith(content) });
        expect(await caught(() => findServer('notes', context))).to.include({ code: 'ERR_NAMED_FILE' });
      });
    }

    it('rejects a missing file', async () => {
      const context = lookupContext(folder, { localRegistryPath: path.join(folder, 'gone.json') });
      expect(await caught(() => findServer('notes', context))).to.include({ code: 'ERR_NAMED_FILE' });
    });

    it('fetches a catalogue URL once an hour, and again for an unknown name', async () => {
      const clock = new FakeClock(new Date('2026-11-21T10:00:00Z'));
      let servers = [NOTES];
      const web = await start((_path, response) => sendJson(response, { data: { servers } }));
      const settings = { registryUrl: `${web.url}/catalogue.json` };
      // A context of its own for each: only the folder is shared.
      const find = async (name: string): Promise<boolean> =>
        (await findServer(name, lookupContext(folder, settings, { clock: clock.clock }))).isFound;
      expect([await find('notes'), await find('notes'), web.requests.length]).to.deep.equal([true, true, 1]);
      servers = [NOTES, WEATHER];
      expect([await find('weather'), web.requests.length]).to.deep.equal([true, 2]);
      clock.advance(HOUR_MS);
      expect([await find('notes'), web.requests.length]).to.deep.equal([true, 3]);
    });
  });

  describe('when the registry fails later', () => {
    it('uses a response of the last 7 days with a warning, and never returns not found', async () => {
      const clock = new FakeClock(new Date('2026-11-21T10:00:00Z'));
      const api = await start(apiWith([NOTES]));
      const context = lookupContext(folder, { registryApiUrl: api.url }, { clock: clock.clock });
      await findServer('dev.acme/notes', context);
      api.answer = (_path, response) => void response.writeHead(503).end();
      const answer = await found(findServer('dev.acme/notes', context));
      expect(answer.warnings.join()).to.contain('status 503').and.contain('2026-11-21T10:00:00.000Z');
      expect(await caught(() => findServer('dev.acme/gone', context))).to.include({
        code: 'ERR_LOOKUP_STATUS',
      });
      clock.advance(7 * 24 * HOUR_MS);
      expect(await caught(() => findServer('dev.acme/notes', context))).to.include({
        code: 'ERR_LOOKUP_STATUS',
      });
    });

    it('throws for a refused token', async () => {
      const api = await start(apiWith([NOTES]));
      const context = lookupContext(folder, { registryApiUrl: api.url });
      await findServer('dev.acme/notes', context);
      api.answer = (_path, response) => void response.writeHead(403).end();
      const error = await caught(() => findServer('dev.acme/notes', context));
      expect(error).to.include({ code: 'ERR_LOOKUP_UNAUTHORIZED' });
      expect(error.hint).to.contain('PORTOLAN_REGISTRY_TOKEN_FILE');
    });
  });
});
