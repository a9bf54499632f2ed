import { expect } from 'chai';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { AskText, TextQuestion } from '../../src/init/ask-facts.ts';
import { makeDocument } from '../../src/init/make-document.ts';
import { addressOf } from '../../src/init/read-project.ts';
import { NO_FACTS, type ServerFacts } from '../../src/init/server-facts.ts';
import { writeDocument } from '../../src/init/write-document.ts';

const now = new Date('2026-11-22T12:00:00Z');
const WHOLE = { name: 'com.acme/notes', description: 'Keeps notes.', version: '1.0.0' };
const PACKAGE = {
  name: '@acme/notes-mcp',
  version: '1.2.0',
  description: 'Keeps notes.',
  homepage: 'https://notes.acme.example',
  repository: { type: 'git', url: 'git+https://github.com/acme/notes.git' },
};

describe('portolan init', () => {
  let folder = '';
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'portolan-init-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });
  async function make(
    said: Partial<ServerFacts>,
    more: { ask?: AskText; from?: string } = {},
  ): Promise<unknown> {
    const { ask, from } = more;
    return await makeDocument({ facts: { ...NO_FACTS, ...said }, from, folder, ask, now }).then(
      ({ text }) => JSON.parse(text),
      (error: unknown) => error,
    );
  }
  const put = async (file: string, content: object | string): Promise<void> =>
    await writeFile(path.join(folder, file), typeof content === 'string' ? content : JSON.stringify(content));

  it('creates the smallest document from flags alone', async () => {
    expect(await make(WHOLE)).to.deep.equal({
      $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
      ...WHOLE,
    });
  });

  const runs: readonly {
    readonly said: Partial<ServerFacts>;
    readonly member: string;
    readonly expected: object;
  }[] = [
    {
      said: { runs: ['npx://@acme/notes-mcp@1.0.0'], variables: ['HOME_PAGE'], secrets: ['API_KEY'] },
      member: 'packages',
      expected: {
        registryType: 'npm',
        identifier: '@acme/notes-mcp',
        version: '1.0.0',
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
        environmentVariables: [
          { name: 'HOME_PAGE', isRequired: true },
          { name: 'API_KEY', isRequired: true, isSecret: true },
        ],
      },
    },
    {
      said: { runs: ['uvx://notes-mcp'] },
      member: 'packages',
      expected: {
        registryType: 'pypi',
        identifier: 'notes-mcp',
        runtimeHint: 'uvx',
        transport: { type: 'stdio' },
      },
    },
    {
      said: { runs: ['ghcr.io/acme/notes:1.0.0'], transport: 'streamable-http' },
      member: 'packages',
      expected: {
        registryType: 'oci',
        identifier: 'ghcr.io/acme/notes:1.0.0',
        transport: { type: 'streamable-http', url: 'http://127.0.0.1:8080/mcp' },
      },
    },
    {
      said: { runs: ['https://notes.acme.example/mcp'] },
      member: 'remotes',
      expected: { type: 'streamable-http', url: 'https://notes.acme.example/mcp' },
    },
    {
      said: { runs: ['https://notes.acme.example/sse'], transport: 'sse' },
      member: 'remotes',
      expected: { type: 'sse', url: 'https://notes.acme.example/sse' },
    },
  ];
  for (const { said, member, expected } of runs) {
    it(`creates ${member} for ${String(said.runs)}`, async () => {
      expect(await make({ ...WHOLE, ...said })).to.have.deep.property(member, [expected]);
    });
  }

  const wrong: readonly { readonly said: Partial<ServerFacts>; readonly says: readonly string[] }[] = [
    { said: {}, says: ['3 things are', '--name', '--description', '--version'] },
    { said: { ...WHOLE, name: 'notes' }, says: ['--name', 'slash'] },
    { said: { ...WHOLE, version: '^1' }, says: ['--version'] },
    { said: { ...WHOLE, description: 'x'.repeat(101) }, says: ['--description', '101'] },
    { said: { ...WHOLE, repository: 'no address' }, says: ['--repository'] },
    {
      said: { ...WHOLE, runs: ['ftp://x', 'npx://a b', 'go://x'] },
      says: ['--runs', 'ftp://x', 'go://x', 'white space'],
    },
    {
      said: { ...WHOLE, runs: ['https://a.example/'], secrets: ['KEY'] },
      says: ['--secret', 'without a package or an image in --runs'],
    },
    {
      said: { ...WHOLE, runs: ['uvx://a'], secrets: ['A-B'], variables: ['1'] },
      says: ['--secret', '--variable'],
    },
    { said: { ...WHOLE, runs: ['https://a.example/'], transport: 'stdio' }, says: ['--runs', 'stdio'] },
  ];
  for (const { said, says } of wrong) {
    it(`reports what is missing or invalid: ${says.join(', ')}`, async () => {
      const error = await make(said);
      expect(error).to.include({ code: 'ERR_INIT_PROJECT', class: 'mistake' });
      for (const text of says) expect(String(error)).to.include(text);
    });
  }

  it('uses facts of a package.json, and prefers flags', async () => {
    await put('package.json', PACKAGE);
    expect(await make({})).to.deep.include({
      name: 'io.github.acme/notes-mcp',
      version: '1.2.0',
      repository: { url: 'https://github.com/acme/notes', source: 'github' },
      websiteUrl: 'https://notes.acme.example',
    });
    expect(await make({ name: 'com.acme/notes', version: '2.0.0' })).to.deep.include({
      name: 'com.acme/notes',
      version: '2.0.0',
    });
    await put('package.json', {
      ...PACKAGE,
      mcpName: 'com.acme/own',
      private: true,
      description: 'y'.repeat(300),
    });
    const document = await make({});
    expect(document).to.include({ name: 'com.acme/own', description: 'y'.repeat(100) });
    expect(document).to.not.have.property('packages');
  });

  it('uses facts of a pyproject.toml', async () => {
    const toml = `[project]\nname = "notes-mcp"\nversion = "0.3.0"\ndescription = "Keeps notes."\n[project.urls]\nSource = "https://github.com/acme/notes"\n`;
    await put('pyproject.toml', toml);
    const document = await make({});
    expect(document).to.include({ name: 'io.github.acme/notes-mcp', version: '0.3.0' });
    expect(document).to.have.nested.property('packages[0].registryType', 'pypi');
    await put('pyproject.toml', toml.replace('version = "0.3.0"', 'dynamic = ["version"]'));
    expect(String(await make({})))
      .to.include('--version')
      .and.not.to.include('--name');
  });

  it('reads no project file with --from none, and reports an unusable one', async () => {
    await put('package.json', '{');
    expect(await make(WHOLE, { from: 'none' })).to.include(WHOLE);
    expect(await make(WHOLE)).to.include({ code: 'ERR_INIT_PROJECT' });
    expect(await make(WHOLE, { from: 'pyproject.toml' })).to.include({ code: 'ERR_INIT_PROJECT' });
    await put('pyproject.toml', '[project');
    expect(await make(WHOLE, { from: 'pyproject.toml' })).to.include({ code: 'ERR_INIT_PROJECT' });
  });

  it('asks on a terminal for facts without flags, with known facts as defaults', async () => {
    await put('package.json', PACKAGE);
    const asked: TextQuestion[] = [];
    const answers = [
      'com.acme/notes',
      ' Notes ',
      'Keeps all notes.',
      'npx://@acme/notes-mcp@1.2.0',
      'API_KEY, OTHER',
    ];
    const ask: AskText = async (question) => {
      asked.push(question);
      return answers[asked.length - 1] ?? '';
    };
    const document = await make({ version: '1.2.0' }, { ask });
    expect(document).to.deep.include({
      name: 'com.acme/notes',
      title: 'Notes',
      description: 'Keeps all notes.',
    });
    expect(document).to.have.nested.property('packages[0].environmentVariables').with.lengthOf(2);
    expect(asked.map(({ initial }) => initial)).to.deep.equal([
      'io.github.acme/notes-mcp',
      undefined,
      'Keeps notes.',
      'npx://@acme/notes-mcp@1.2.0',
      undefined,
    ]);
    const [name, title, description, what, secrets] = asked.map(({ validate }) => validate);
    expect(name?.('com.acme/notes')).to.equal(true);
    expect(name?.('notes')).to.include('slash');
    expect(title?.('')).to.equal(true);
    expect(title?.('x'.repeat(101)))
      .to.be.a('string')
      .and.include('101');
    expect(description?.('')).to.be.a('string');
    expect(what?.('')).to.equal(true);
    expect(what?.('gopher://x')).to.include('npx://');
    expect(secrets?.('A-B')).to.include('variable');
  });

  it('overwrites a file only after a confirmation', async () => {
    const file = path.join(folder, 'server.json');
    const terminal = {
      input: Readable.from([]),
      output: new Writable({ write: (_chunk, _encoding, done) => done() }),
    };
    const write = async (text: string, mayOverwrite = false): Promise<unknown> =>
      await writeDocument(file, text, { mayOverwrite, terminal }).catch((error: unknown) => error);
    expect(await write('one')).to.equal(undefined);
    expect(await write('two')).to.include({ code: 'ERR_RESOURCE_EXISTS' });
    expect(await write('three', true)).to.equal(undefined);
    const answering = (answer: string) => ({
      input: Object.assign(Readable.from([`${answer}\n`]), { isTTY: true }),
      output: terminal.output,
    });
    const no = writeDocument(file, 'four', { mayOverwrite: false, terminal: answering('n') });
    expect(await no.catch((error: unknown) => error)).to.include({ code: 'ERR_NOT_CONFIRMED' });
    await writeDocument(file, 'five', { mayOverwrite: false, terminal: answering('y') });
    const elsewhere = writeDocument(path.join(folder, 'no', 'x'), '', { mayOverwrite: true, terminal });
    expect(await elsewhere.catch((error: unknown) => error)).to.include({ code: 'ERR_INIT_WRITE' });
  });
});

describe('addressOf', () => {
  const cases = [
    ['git+https://github.com/acme/notes.git', 'https://github.com/acme/notes'],
    ['git+ssh://git@github.com/acme/notes.git', 'https://github.com/acme/notes'],
    ['git@gitlab.com:acme/tools/notes.git', 'https://gitlab.com/acme/tools/notes'],
    ['git://github.com/acme/notes.git#main', 'https://github.com/acme/notes'],
    ['github:acme/notes', 'https://github.com/acme/notes'],
    ['gitlab:acme/notes', 'https://gitlab.com/acme/notes'],
    ['acme/notes', 'https://github.com/acme/notes'],
    ['https://github.com/acme/notes/tree/main/servers/x', 'https://github.com/acme/notes'],
    ['https://gitlab.com/acme/notes/-/tree/main', 'https://gitlab.com/acme/notes'],
    ['https://user:secret@git.example/a', undefined],
    ['file:///etc/passwd', undefined],
    ['', undefined],
    [undefined, undefined],
  ] as const;
  for (const [text, expected] of cases) {
    it(`returns ${String(expected)} for ${String(text)}`, () => {
      expect(addressOf(text)).to.equal(expected);
    });
  }
});
