import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createTestContext, sourceContract } from '@portolan/plugin-testing';
import { expect } from 'chai';
import plugin, { type FileConfig, fileSource } from '../src/index.ts';
import { catalogueText, ENTRIES } from './catalogue-text.ts';
import { faultOf } from './fault-of.ts';
import { type FileServer, startFileServer } from './file-server.ts';
import { readEntries } from './read-entries.ts';

sourceContract({
  name: 'file with data',
  kind: fileSource,
  blocks: [
    { data: '{"data":{}}' },
    { path: './missing.json' },
    { url: 'https://ada:secret@files.acme.example/catalogue.json', timeout: '1m' },
  ],
  create: (context) => fileSource.create({ data: catalogueText(0) }, context),
  entries: ENTRIES,
});

describe('@portolan/source-file', () => {
  it('contributes the source kind file, whose entries get the claims of the source', () => {
    const kinds = plugin.contributes.sources.map(({ kind, claimsFrom }) => ({ kind, claimsFrom }));
    expect(kinds).to.deep.equal([{ kind: 'file', claimsFrom: 'source' }]);
  });
});

describe('fileSource.reaches', () => {
  const url = 'https://files.acme.example/catalogue.json';
  for (const [config, reach] of [
    [{ path: './a.json' }, { files: ['./a.json'], urls: [] }],
    [
      { url, timeout: '1m' },
      { files: [], urls: [url] },
    ],
    [{ data: '{"data":{}}' }, { files: [], urls: [] }],
  ] as const) {
    it(`returns where ${JSON.stringify(config)} leads`, () => {
      expect(fileSource.reaches?.(config)).to.deep.equal(reach);
    });
  }
});

describe('fileSource.isFixed', () => {
  it('returns true for inline data, and false for a path or URL', () => {
    expect(fileSource.isFixed?.({ data: '{}' })).to.equal(true);
    expect(fileSource.isFixed?.({ path: 'a.json' })).to.equal(false);
    expect(fileSource.isFixed?.({ url: 'https://acme.example/a.json' })).to.equal(false);
  });
});

describe('fileSource.check', () => {
  const url = 'https://files.acme.example/catalogue.json';
  const anAddress = 'an http or https address';
  const cases: readonly { config: FileConfig; expected: readonly string[] }[] = [
    { config: { data: '{"data":{}}' }, expected: [] },
    { config: { data: '{' }, expected: ['data: text that is not JSON; the JSON text of a catalogue'] },
    { config: { data: '[]' }, expected: ['data: JSON that is not an object; the JSON text of a catalogue'] },
    {
      config: { data: '{}' },
      expected: ['data: a map without data, servers, remote_servers; the JSON text of a catalogue'],
    },
    { config: { url }, expected: [] },
    { config: { url: 'http://ada:s3cret@files.acme.example', timeout: '1h' }, expected: [] },
    {
      config: { path: 'a', timeout: '30s' },
      expected: [
        'timeout: "30s" without url; none: it limits a download',
        'path: "a", which does not exist; a catalogue file',
      ],
    },
    {
      config: { data: '{"data":{}}', timeout: '2h' },
      expected: ['timeout: "2h" without url; none: it limits a download'],
    },
    { config: { url, timeout: '0s' }, expected: ['timeout: "0s"; a duration above zero and at most 1h'] },
    { config: { url, timeout: '61m' }, expected: ['timeout: "61m"; a duration above zero and at most 1h'] },
    {
      config: { url: 's3cret.json', timeout: '61m' },
      expected: [
        `url: no absolute address; ${anAddress}`,
        'timeout: "61m"; a duration above zero and at most 1h',
      ],
    },
    {
      config: { url: 'ftp://ada:s3cret@files.acme.example/c.json' },
      expected: [`url: an address that begins with ftp:; ${anAddress}`],
    },
    {
      config: { url: 'https://ada:%zz-s3cret@files.acme.example/' },
      expected: [`url: an address with a user or password that is not percent-encoded; ${anAddress}`],
    },
  ];
  for (const { config, expected } of cases) {
    it(`${expected.length === 0 ? 'accepts' : 'refuses'} ${JSON.stringify(config)}`, () => {
      const problems = fileSource.check?.(config, { directory: '/nowhere', trustsLoopback: false }) ?? [];
      const texts = problems.map(({ place, found, expected: instead }) => `${place}: ${found}; ${instead}`);
      expect(texts).to.deep.equal(expected);
    });
  }
});

describe('fileSource.check of a path', () => {
  let directory: string;
  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'portolan-test-'));
  });
  afterEach(() => rm(directory, { recursive: true }));

  const cases = [
    { what: 'a catalogue', text: '{"servers":[]}', found: undefined },
    { what: 'text', text: 'servers: []', found: 'which holds text that is not JSON' },
    { what: 'a list', text: '[]', found: 'which holds JSON that is not an object' },
    {
      what: 'another document',
      text: '{"name":"a"}',
      found: 'which holds a map without data, servers, remote_servers',
    },
    { what: 'nothing', text: undefined, found: 'which does not exist' },
    { what: 'a large file', text: ' '.repeat(1_048_577), found: undefined },
  ];
  for (const { what, text, found } of cases) {
    it(`${found === undefined ? 'accepts' : 'warns about'} ${what}`, async () => {
      if (text !== undefined) await writeFile(join(directory, 'c.json'), text);
      const warning = {
        place: 'path',
        found: `"c.json", ${found}`,
        expected: 'a catalogue file',
        isWarning: true,
      };
      expect(fileSource.check?.({ path: 'c.json' }, { directory, trustsLoopback: false })).to.deep.equal(
        found === undefined ? [] : [warning],
      );
    });
  }

  it('warns about a folder', () => {
    const [warning] = fileSource.check?.({ path: '.' }, { directory, trustsLoopback: false }) ?? [];
    expect(warning?.found).to.equal('".", which is a folder');
  });
});

describe('fileSource.create', () => {
  const url = 'https://files.acme.example/catalogue.json';
  const accepted = [
    { path: 'catalogue.json' },
    { data: '{"data":{}}' },
    { url },
    { url, timeout: '2m30s' },
    { url, timeout: '1h' },
    { url: 'http://files.acme.example' },
  ];
  for (const config of accepted) {
    it(`accepts ${JSON.stringify(config)}`, async () => {
      const source = await fileSource.create(config, createTestContext());
      expect('watch' in source, 'can watch').to.equal(config.path !== undefined);
    });
  }

  const refused = [
    { config: {}, code: 'ERR_SOURCE_CONFIG' },
    { config: { path: 'a', data: '{"data":{}}' }, code: 'ERR_SOURCE_CONFIG' },
    { config: { path: 'a', url }, code: 'ERR_SOURCE_CONFIG' },
    { config: { url, data: '{"data":{}}' }, code: 'ERR_SOURCE_CONFIG' },
    { config: { path: 'a', timeout: '30s' }, code: 'ERR_SOURCE_FILE_UNREADABLE' },
    { config: { data: '{"data":{}}', timeout: '30s' }, code: 'ERR_SOURCE_FILE_UNREADABLE' },
    { config: { url, timeout: '0s' }, code: 'ERR_SOURCE_FILE_UNREADABLE' },
    { config: { url, timeout: '61m' }, code: 'ERR_SOURCE_FILE_UNREADABLE' },
    { config: { url: 'catalogue.json' }, code: 'ERR_SOURCE_CONFIG' },
    { config: { url: 'https://' }, code: 'ERR_SOURCE_CONFIG' },
    { config: { url: 'ftp://files.acme.example/c.json' }, code: 'ERR_SOURCE_CONFIG' },
    { config: { url: 'file:///etc/catalogue.json' }, code: 'ERR_SOURCE_CONFIG' },
    { config: { url: 'https://ada:%zz-s3cret@files.acme.example/' }, code: 'ERR_SOURCE_CONFIG' },
  ];
  for (const { config, code } of refused) {
    it(`refuses ${JSON.stringify(config)}`, async () => {
      const fault = await faultOf(() => fileSource.create(config, createTestContext()));
      expect(fault.code).to.equal(code);
      expect(fault.hint).to.be.a('string');
      expect(`${fault.message} ${fault.hint}`).to.not.match(/s3cret|%zz/);
    });
  }
});

describe('redirects', () => {
  let other: FileServer;
  let configured: FileServer;
  beforeEach(async () => {
    other = await startFileServer((_request, response) => response.end(catalogueText(1)));
    configured = await startFileServer((request, response) => {
      const to = request.url === '/out' ? other.url : '/in';
      if (request.url === '/in') response.end(catalogueText(1));
      else response.writeHead(302, { location: to }).end();
    });
  });
  afterEach(async () => {
    await configured.close();
    await other.close();
  });

  const read = async (path: string) => {
    const source = await fileSource.create({ url: `${configured.url}${path}` }, createTestContext());
    try {
      return await readEntries(source);
    } finally {
      await source.close?.();
    }
  };

  it('follows one on the configured host and port', async () => {
    expect(await read('/start')).not.to.deep.equal([]);
  });

  it('refuses one to another service on loopback', async () => {
    const fault = await faultOf(() => read('/out'));
    expect(fault.code).to.equal('ERR_ADDRESS_FORBIDDEN');
    expect(other.requests).to.have.length(0);
  });
});
