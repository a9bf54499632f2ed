import { setImmediate } from 'node:timers/promises';
import { isSkippedEntry, readCatalogue } from '@portolan/entry-format';
import { isPortolanError } from '@portolan/plugin-api';
import type { SkippedEntry, SourceEntry } from '@portolan/plugin-api';
import { expect } from 'chai';
import fc from 'fast-check';
import { trials } from '../../../test/support/soak.ts';

type Item = SourceEntry | SkippedEntry;
type Chunk = Uint8Array | string;

async function* chunksOf(...chunks: readonly Chunk[]): AsyncGenerator<Chunk> {
  yield* chunks;
}

async function readAll(...chunks: readonly Chunk[]): Promise<readonly Item[]> {
  const items: Item[] = [];
  for await (const item of readCatalogue(chunksOf(...chunks))) items.push(item);
  return items;
}

async function failureOf(...chunks: readonly Chunk[]): Promise<string> {
  try {
    await readAll(...chunks);
  } catch (error) {
    if (isPortolanError(error)) return `${error.code} ${error.message}`;
    throw error;
  }
  return 'nothing was thrown';
}

/** The same bytes in pieces of the given sizes, used in turn. */
function cut(bytes: Uint8Array, sizes: readonly number[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [];
  for (let start = 0, turn = 0; start < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    pieces.push(bytes.slice(start, start + size));
    start += size;
  }
  return pieces;
}

const servers = [{ name: 'com.acme/notes' }, { name: 'com.acme/maps' }];

describe('readCatalogue', () => {
  it('yields servers, skills and plugins with type, document and place', async () => {
    const catalogue = {
      $schema: 'https://acme.example/catalogue.schema.json',
      version: '1.0.0',
      meta: { last_updated: '2026-01-15T08:00:00Z' },
      data: { servers, skills: [{ name: 'triage' }], plugins: [{ name: 'bundle' }], groups: [1] },
    };
    expect(await readAll(JSON.stringify(catalogue))).to.deep.equal([
      { type: 'server', document: { name: 'com.acme/notes' }, place: 'data.servers[0]' },
      { type: 'server', document: { name: 'com.acme/maps' }, place: 'data.servers[1]' },
      { type: 'skill', document: { name: 'triage' }, place: 'data.skills[0]' },
      { type: 'plugin', document: { name: 'bundle' }, place: 'data.plugins[0]' },
    ]);
  });

  const accepted = [
    { title: 'without version and meta', text: '{"data":{"servers":[{}]}}', count: 1 },
    { title: 'with skills only', text: '{"version":"1.0.0","data":{"skills":[{},{}]}}', count: 2 },
    {
      title: 'with plugins only, and null for the other lists',
      text: '{"data":{"servers":null,"plugins":[{}]}}',
      count: 1,
    },
    { title: 'with empty lists', text: '{"data":{"servers":[]}}', count: 0 },
    {
      title: 'with its version at the end',
      text: '{"data":{"servers":[{}]},"version":"10.20.30"}',
      count: 1,
    },
    {
      title: 'with a byte order mark and white space',
      text: '\uFEFF \r\n\t{"data" : {"servers" : [ {} ] } }\n',
      count: 1,
    },
    {
      title: 'with elements that are not objects',
      text: '{"data":{"servers":[1,"a",null,[],true]}}',
      count: 5,
    },
    {
      title: 'with both formats, the data object first',
      text: '{"data":{"servers":[{}]},"servers":{"a":1}}',
      count: 1,
    },
    {
      title: 'with a top-level list and a data object',
      text: '{"servers":[1],"data":{"servers":[{}]}}',
      count: 1,
    },
    {
      title: 'in the legacy format with a data member that is not an object',
      text: '{"data":1,"servers":{}}',
      count: 0,
    },
  ];
  for (const { title, text, count } of accepted) {
    it(`accepts a catalogue ${title}`, async () => {
      expect(await readAll(text)).to.have.lengthOf(count);
    });
  }

  const notJson = [
    { text: '{"data":{"servers":[{}]}', expected: 'found its end at line 1, column 25 (byte 24)' },
    { text: '{"data":\n  {"servers":[{"a":tru}]}}', expected: 'found "}" at line 2, column 23 (byte 31)' },
    {
      text: '{"data":{"servers":[{},]}}',
      expected: 'found "]" at line 1, column 24 (byte 23); expected a value',
    },
    { text: '{"data":{"servers":[{}]}} x', expected: 'expected nothing after the document' },
    { text: '{"data":{"servers":[01]}}', expected: 'found "1"' },
    { text: '{"data":{"servers":[1.]}}', expected: 'expected a digit' },
    { text: '{"data":{"servers":["\u0001"]}}', expected: 'found byte 0x01' },
    { text: '{"data":{"servers":["\\x"]}}', expected: 'found "x"' },
    { text: '{"data":{"servers":["\\u00g0"]}}', expected: 'expected a hexadecimal digit' },
    { text: "{'data':1}", expected: 'expected a member name in double quotes' },
    { text: '{"data" 1}', expected: 'expected ":"' },
    { text: '{"data":{"servers":[{}}}', expected: 'expected "," or "]"' },
    { text: '<html></html>', expected: 'found "<" at line 1, column 1 (byte 0); expected a value' },
    { text: '{"data":{"servers":["no end', expected: 'found its end' },
    { text: '{"a":-', expected: 'found its end' },
  ];
  for (const { text, expected } of notJson) {
    it(`shows the position at which ${JSON.stringify(text)} is invalid JSON`, async () => {
      const failure = await failureOf(text);
      expect(failure).to.contain('ERR_CATALOGUE_NOT_JSON').and.to.contain(expected);
    });
  }

  const refused = [
    { text: '', expected: 'ERR_CATALOGUE_FORMAT' },
    { text: ' \n ', expected: 'ERR_CATALOGUE_FORMAT' },
    { text: '[]', expected: 'ERR_CATALOGUE_FORMAT The catalogue is an array' },
    { text: '"text"', expected: 'ERR_CATALOGUE_FORMAT The catalogue is a string' },
    { text: 'null', expected: 'ERR_CATALOGUE_FORMAT The catalogue is null' },
    { text: '12', expected: 'ERR_CATALOGUE_FORMAT The catalogue is a number' },
    { text: '{}', expected: 'ERR_CATALOGUE_FORMAT The document has no list of entries' },
    { text: '{"data":{}}', expected: 'ERR_CATALOGUE_FORMAT The document has no list of entries' },
    {
      text: '{"data":{"servers":null}}',
      expected: 'ERR_CATALOGUE_FORMAT The document has no list of entries',
    },
    { text: '{"groups":[]}', expected: 'ERR_CATALOGUE_FORMAT The document has no list of entries' },
    {
      text: '{"data":{"servers":{}}}',
      expected: 'ERR_CATALOGUE_FORMAT In the catalogue, `data.servers` is an object at line 1',
    },
    {
      text: '{"data":{"skills":"x"}}',
      expected: 'ERR_CATALOGUE_FORMAT In the catalogue, `data.skills` is a string',
    },
    { text: '{"data":[1]}', expected: 'ERR_CATALOGUE_FORMAT In the catalogue, `data` is an array' },
    {
      text: '{"servers":[{"server":{}}]}',
      expected: 'ERR_CATALOGUE_FORMAT In the catalogue, `servers` is an array',
    },
    {
      text: '{"servers":{},"data":{}}',
      expected: 'ERR_CATALOGUE_FORMAT The catalogue has maps of the legacy format',
    },
    {
      text: '{"data":{"servers":[]},"data":{}}',
      expected: 'ERR_CATALOGUE_FORMAT In the catalogue, `data` occurs a second',
    },
    {
      text: '{"data":{"servers":[],"servers":[]}}',
      expected: '`data.servers` occurs a second time at line 1',
    },
    {
      text: '{"version":"1.0","data":{"servers":[]}}',
      expected: 'ERR_CATALOGUE_FORMAT The catalogue\'s `version` is "1.0"',
    },
    { text: '{"version":1,"data":{"servers":[]}}', expected: 'ERR_CATALOGUE_FORMAT' },
    { text: '{"servers":{},"version":"v1.0.0"}', expected: 'ERR_CATALOGUE_FORMAT' },
  ];
  for (const { text, expected } of refused) {
    it(`rejects ${JSON.stringify(text)}`, async () => {
      expect(await failureOf(text)).to.contain(expected);
    });
  }

  it('converts the maps of the legacy format and omits groups', async () => {
    const legacy = {
      version: '1.0.0',
      servers: { fetch: { image: 'ghcr.io/acme/fetch:1', description: 'Fetches' }, 'a b': 1 },
      remote_servers: { maps: { url: 'https://maps.acme.example/mcp', transport: 'sse' } },
      groups: [{ name: 'all', servers: { other: { image: 'x' } } }],
    };
    const items = await readAll(JSON.stringify(legacy));
    expect(items.map((item) => (isSkippedEntry(item) ? item.skipped : item.place))).to.deep.equal([
      'servers.fetch',
      'servers["a b"]',
      'remote_servers.maps',
    ]);
    expect(items[0]).to.have.nested.property('document.name', 'io.github.stacklok/fetch');
    expect(items[1]).to.deep.equal({
      skipped: 'servers["a b"]',
      because: 'The entry is a number; expected an object.',
      entry: { type: 'server', name: 'io.github.stacklok/a b' },
    });
  });

  it('keeps the last of duplicate members within an entry, like JSON.parse', async () => {
    expect(await readAll('{"data":{"servers":[{"a":1,"a":2}]}}')).to.deep.equal([
      { type: 'server', document: { a: 2 }, place: 'data.servers[0]' },
    ]);
  });

  it('treats a member named __proto__ as data', async () => {
    const text = '{"__proto__":{"a":1},"data":{"__proto__":[1],"servers":[{"__proto__":{"name":"evil"}}]}}';
    const [item] = await readAll(text);
    const document = item !== undefined && 'document' in item ? item.document : undefined;
    expect(Object.getPrototypeOf(document)).to.equal(Object.prototype);
    expect(document).not.to.have.property('name');
    expect(Object.hasOwn(Object(document), '__proto__')).to.equal(true);
    const [legacy] = await readAll('{"servers":{"__proto__":{"image":"a","__proto__":{"b":1}}}}');
    expect(legacy).to.have.nested.property('document.name', 'io.github.stacklok/__proto__');
    expect({}).not.to.have.property('b');
  });

  it('skips an entry that is too large, too deep or not UTF-8, and continues', async () => {
    const deep = `${'['.repeat(65)}${']'.repeat(65)}`;
    const parts = [
      Buffer.from('{"data":{"servers":[{"text":"'),
      ...Array.from({ length: 100 }, () => Buffer.alloc(65_536, 'x')),
      Buffer.from(`"},${deep},{"text":"`),
      Uint8Array.of(0xff, 0xfe),
      Buffer.from(`"},{"name":"last"},${'['.repeat(64)}${']'.repeat(64)}]}}`),
    ];
    const items = await readAll(...parts);
    expect(items.slice(0, 4)).to.deep.equal([
      { skipped: 'data.servers[0]', because: 'The entry is larger than 4 MiB.' },
      { skipped: 'data.servers[1]', because: 'The entry is nested deeper than 64 levels.' },
      { skipped: 'data.servers[2]', because: 'The entry holds bytes that are not UTF-8.' },
      { type: 'server', document: { name: 'last' }, place: 'data.servers[3]' },
    ]);
    expect(items[4]).to.have.property('place', 'data.servers[4]');
  });

  it('reads the key after an entry of the legacy format with too deep nesting', async () => {
    const text = `{"servers":{"a":${'['.repeat(70)}${']'.repeat(70)},"b":{"image":"x"}}}`;
    const items = await readAll(text);
    expect(items[0]).to.have.property('because', 'The entry is nested deeper than 64 levels.');
    expect(items[1]).to.have.property('place', 'servers.b');
  });

  it('throws for a document of opening brackets only', async () => {
    expect(await failureOf(`{"x":${'['.repeat(200_000)}`)).to.contain('nested deeper than 100000 levels');
  });

  it('yields entries before the end of the document', async () => {
    let pulled = 0;
    async function* endless(): AsyncGenerator<string> {
      yield '{"data":{"servers":[';
      for (;;) {
        pulled += 1;
        yield '{"name":"com.acme/notes"},';
      }
    }
    const catalogue = readCatalogue(endless());
    await catalogue.next();
    await catalogue.next();
    await catalogue.return(undefined);
    expect(pulled).to.be.lessThan(4);
  });

  it('closes the stream when the reader stops early', async () => {
    let closed = false;
    async function* closing(): AsyncGenerator<string> {
      try {
        yield '{"data":{"servers":[{},{}]}}';
      } finally {
        closed = true;
      }
    }
    for await (const item of readCatalogue(closing())) {
      expect(item).to.have.property('type', 'server');
      break;
    }
    expect(closed).to.equal(true);
  });

  it('yields to the event loop while it parses one large chunk', async () => {
    const text = `{"data":{"servers":[${Array.from({ length: 20_000 }, () => '{"name":"com.acme/notes"}').join(',')}]}}`;
    const state = { turns: 0, reading: true };
    const other = (async () => {
      while (state.reading) {
        await setImmediate();
        state.turns += 1;
      }
    })();
    await readAll(text);
    state.reading = false;
    await other;
    expect(state.turns).to.be.greaterThan(3);
  });

  it('throws the reason of a signal that aborts', async () => {
    const controller = new AbortController();
    const reason = new Error('stopped by the test');
    const seen: Item[] = [];
    const read = async (): Promise<void> => {
      for await (const item of readCatalogue(chunksOf('{"data":{"servers":[{},', '{}]}}'), {
        signal: controller.signal,
      })) {
        seen.push(item);
        controller.abort(reason);
      }
    };
    expect(await read().catch((error: unknown) => error)).to.equal(reason);
    expect(seen).to.have.lengthOf(1);
  });

  it('passes on an error of the stream', async () => {
    const error = new Error('connection lost');
    async function* failing(): AsyncGenerator<string> {
      yield '{"data":';
      throw error;
    }
    expect(
      await readCatalogue(failing())
        .next()
        .catch((caught: unknown) => caught),
    ).to.equal(error);
  });

  it('yields what JSON.parse returns, for any chunk boundaries', async () => {
    const value = fc.jsonValue({ stringUnit: 'binary', maxDepth: 4 });
    const lists = fc.record({ servers: fc.array(value), skills: fc.array(value), plugins: fc.array(value) });
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(
        lists,
        value,
        sizes,
        fc.integer({ min: 0, max: 3 }),
        async (data, meta, cuts, indent) => {
          const text = JSON.stringify({ meta, data }, null, indent);
          const parsed: { data: Record<string, readonly unknown[]> } = JSON.parse(text);
          const expected = ['servers', 'skills', 'plugins'].flatMap((list) => parsed.data[list] ?? []);
          const items = await readAll(...cut(Buffer.from(text), cuts));
          expect(items.map((item) => ('document' in item ? item.document : item))).to.deep.equal(expected);
        },
      ),
    );
  });

  it('parses strings like bytes, also with split surrogate pairs', async () => {
    const sizes = fc.array(fc.integer({ min: 1, max: 5 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'grapheme' }), sizes, async (name, cuts) => {
        const text = `{"data":{"servers":[${JSON.stringify(`${name}😀`)}]}}`;
        const pieces: string[] = [];
        for (let start = 0, turn = 0; start < text.length; turn++) {
          const size = cuts[turn % cuts.length] ?? 1;
          pieces.push(text.slice(start, start + size));
          start += size;
        }
        expect(await readAll(...pieces)).to.deep.equal(await readAll(Buffer.from(text)));
      }),
    );
  });

  it('accepts the same texts as JSON.parse', async () => {
    const piece = fc.constantFrom(
      ...Array.from('{}[]",:0123.eE+-tfn\\u \n'),
      'true',
      'null',
      '"a"',
      '1e5',
      '{"b":',
      '[1,',
    );
    const broken = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    await fc.assert(
      fc.asyncProperty(broken, fc.integer({ min: 1, max: 7 }), async (text, size) => {
        const document = `{"x":${text},"data":{"servers":[]}}`;
        const failure = await failureOf(...cut(Buffer.from(document), [size]));
        expect(failure.startsWith('ERR_CATALOGUE_NOT_JSON')).to.equal(!isJson(document), failure);
      }),
      trials({ short: 1000 }),
    );
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch (error) {
    if (error instanceof SyntaxError) return false;
    throw error;
  }
}
