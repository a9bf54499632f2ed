import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { findConfig } from '../../src/config/find-config.ts';
import { SEARCH_PLACES } from '../../src/config/find-config.ts';
import { importConfig } from '../../src/config/import-config.ts';
import { errorOf, Folders } from '../support/test-context.ts';

const folders = new Folders();

const textFor = (name: string): string => {
  if (name === 'package.json') return JSON.stringify({ name: 'x', portolan: { found: name } });
  if (name.endsWith('.json')) return JSON.stringify({ found: name });
  return /\.(ts|m?js)$/.test(name) ? `export default { found: '${name}' };` : `found: ${name}\n`;
};

describe('findConfig', () => {
  afterEach(() => folders.removeAll());

  for (const name of SEARCH_PLACES) {
    it(`finds ${name} in the start folder`, async () => {
      const folder = await folders.create({ [name]: textFor(name) });
      const found = await findConfig({ searchFrom: folder });
      expect(found).to.include({ file: join(folder, name), directory: folder });
      expect(found.value).to.deep.equal({ found: name });
    });
  }

  it('prefers the first of the search places', async () => {
    const files = Object.fromEntries(SEARCH_PLACES.map((name) => [name, textFor(name)]));
    const folder = await folders.create(files);
    expect((await findConfig({ searchFrom: folder })).value).to.deep.equal({ found: SEARCH_PLACES[0] });
  });

  it('searches parent folders up to the first one with a package.json', async () => {
    const folder = await folders.create({
      'portolan.config.yaml': 'found: outside\n',
      'project/portolan.config.yaml': 'found: project\n',
      'project/package.json': '{}',
      'project/a/b/note.txt': '',
      'other/package.json': '{}',
      'other/c/note.txt': '',
    });
    const found = await findConfig({ searchFrom: join(folder, 'project', 'a', 'b') });
    expect(found.value).to.deep.equal({ found: 'project' });
    const error = await errorOf(() => findConfig({ searchFrom: join(folder, 'other', 'c') }));
    expect(error.code).to.equal('ERR_CONFIG_NOT_FOUND');
    expect(error.message).to.include(join(folder, 'other', 'c'));
    expect(error.hint).to.include('--config').and.to.include('portolan.config.yaml');
  });

  it('ignores the key portolan in the manifest of a plugin', async () => {
    const manifest = JSON.stringify({ name: 'x', portolan: { plugin: '.', apiVersion: 2 } });
    const folder = await folders.create({ 'package.json': manifest });
    expect((await errorOf(() => findConfig({ searchFrom: folder }))).code).to.equal('ERR_CONFIG_NOT_FOUND');
  });

  it('ignores settings of cosmiconfig in the working directory', async () => {
    const folder = await folders.create({
      '.config/config.js': 'throw new Error("this must not run")',
      'package.json': JSON.stringify({
        cosmiconfig: { searchPlaces: ['evil.json'], mergeSearchPlaces: false },
      }),
      'evil.json': '{"found":"evil"}',
      'portolan.config.yaml': 'found: good\n',
    });
    const before = process.cwd();
    process.chdir(folder);
    try {
      expect((await findConfig({ searchFrom: '.' })).value).to.deep.equal({ found: 'good' });
      expect((await findConfig({ configFile: 'portolan.config.yaml' })).value).to.deep.equal({
        found: 'good',
      });
    } finally {
      process.chdir(before);
    }
  });

  it('does not read another file for the key $import', async () => {
    const folder = await folders.create({ 'a.yaml': '$import: ./b.yaml\n', 'b.yaml': 'found: b\n' });
    const found = await findConfig({ configFile: join(folder, 'a.yaml') });
    expect(found.value).to.deep.equal({ $import: './b.yaml' });
  });

  for (const [name, text] of [
    ['a.yaml', 'found: good\n'],
    ['a.json', '{"found":"good"}'],
  ] as const) {
    it(`parses ${name} with a byte order mark`, async () => {
      const folder = await folders.create({ [name]: `\uFEFF${text}` });
      const found = await findConfig({ configFile: join(folder, name) });
      expect(found.value).to.deep.equal({ found: 'good' });
    });
  }

  it('treats an empty file as an empty configuration', async () => {
    const folder = await folders.create({ 'portolan.config.yaml': '', '.portolanrc.yaml': 'found: other\n' });
    const found = await findConfig({ searchFrom: folder });
    expect(found).to.include({ file: join(folder, 'portolan.config.yaml'), value: undefined });
  });

  it('accepts a value instead of a file, and copies it', async () => {
    const value = { sources: [{ name: 'a' }] };
    const found = await findConfig({ config: { value, directory: '/srv' } });
    expect(found).to.include({ file: undefined, directory: '/srv' });
    expect(found.value).to.deep.equal(value);
    expect(found.value).not.to.equal(value);
  });

  describe('with an unusable file', () => {
    const cases = [
      { title: 'does not exist', name: 'a.yaml', code: 'ERR_CONFIG_UNREADABLE', says: 'does not exist' },
      {
        title: 'has an unknown extension',
        name: 'a.toml',
        text: 'a = 1',
        code: 'ERR_CONFIG_SYNTAX',
        says: '".toml"',
      },
      {
        title: 'is a package.json without the key',
        name: 'package.json',
        text: '{}',
        code: 'ERR_CONFIG_SYNTAX',
        says: 'no key "portolan"',
      },
      {
        title: 'throws',
        name: 'a.ts',
        text: 'throw new Error("out of ink")',
        code: 'ERR_CONFIG_SYNTAX',
        says: 'out of ink',
      },
      {
        title: 'imports a missing module',
        name: 'a.mjs',
        text: 'import "./b.mjs";',
        code: 'ERR_CONFIG_SYNTAX',
        says: 'b.mjs',
      },
      {
        title: 'has no default export',
        name: 'a.js',
        text: 'export const a = 1;',
        code: 'ERR_CONFIG_SYNTAX',
        says: 'no default export',
      },
      {
        title: 'exports an object that throws when it is read',
        name: 'a.mjs',
        text: 'export default { get sources() { throw new Error("out of paper"); } };',
        code: 'ERR_CONFIG_SYNTAX',
        says: 'out of paper',
      },
      {
        title: 'exports a value that never resolves',
        name: 'a.mjs',
        text: 'const deeper = () => ({ get a() { return deeper(); } }); export default deeper();',
        code: 'ERR_CONFIG_SYNTAX',
        says: 'reading its default export failed',
      },
    ];
    for (const { title, name, text, code, says } of cases) {
      it(`throws ${code} when it ${title}`, async () => {
        const folder = await folders.create(text === undefined ? {} : { [name]: text });
        const error = await errorOf(() => findConfig({ configFile: join(folder, name) }));
        expect(error.code).to.equal(code);
        expect(error.message).to.include(join(folder, name)).and.to.include(says);
        expect(error.hint).to.be.a('string');
      });
    }

    it('throws ERR_CONFIG_UNREADABLE for a folder', async () => {
      const folder = await folders.create();
      await mkdir(join(folder, 'a.yaml'));
      const error = await errorOf(() => findConfig({ configFile: join(folder, 'a.yaml') }));
      expect(error.code).to.equal('ERR_CONFIG_UNREADABLE');
      expect(error.message).to.include('it is a folder');
    });

    it('throws for a configuration that fails to read a file of its own', async () => {
      const text =
        'import { readFileSync } from "node:fs"; readFileSync("/nowhere/at/all"); export default {};';
      const folder = await folders.create({
        'package.json': '{ "type": "module" }',
        'portolan.config.ts': text,
        'portolan.config.yaml': 'found: other\n',
      });
      expect((await errorOf(() => findConfig({ searchFrom: folder }))).code).to.equal('ERR_CONFIG_SYNTAX');
    });
  });

  describe('with a syntax error', () => {
    const secret = 'hunter2secret';
    const cases = [
      {
        name: 'a.yaml',
        title: 'a key twice',
        text: `a: 1\nb: 2\na: ${secret}\n`,
        at: '3:1',
        says: 'stands twice',
      },
      { name: 'a.yaml', title: 'a tab', text: `a:\n\tb: ${secret}\n`, at: '2:1', says: 'tab' },
      { name: 'a.yaml', title: 'an open bracket', text: `a: [1, 2\nb: ${secret}\n`, at: '2:', says: '' },
      {
        name: 'a.yaml',
        title: 'an alias without an anchor',
        text: `a: 1\npassword: *${secret}\n`,
        at: '2:11',
        says: 'alias',
      },
      { name: 'a.yaml', title: 'an unknown tag', text: `password: !${secret} x\n`, at: '1:11', says: 'tag' },
      {
        name: 'a.yaml',
        title: 'a reserved character',
        text: `password: @${secret}\n`,
        at: '1:11',
        says: 'quotes',
      },
      {
        name: 'a.yaml',
        title: 'a variable reference in braces',
        text: `database: { host: a, password: \${${secret}} }\n`,
        at: '1:32',
        says: 'with ${NAME} in it needs quotes',
      },
      {
        name: 'a.yaml',
        title: 'a variable reference in brackets',
        text: `tokens: [\${${secret}}]\n`,
        at: '1:10',
        says: 'with ${NAME} in it needs quotes',
      },
      {
        name: 'a.yaml',
        title: 'two documents',
        text: `a: 1\n---\nb: ${secret}\n`,
        at: '2:1',
        says: 'more than one document',
      },
      {
        name: '.portolanrc',
        title: 'too many aliases',
        text: `a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b]\nd: [*c,*c,*c,*c]\n`,
        at: '1:1',
        says: 'aliases',
      },
      {
        name: 'a.json',
        title: 'a bare word',
        text: `{\n  "password": ${secret}\n}`,
        at: '2:15',
        says: 'no valid JSON',
      },
      {
        name: 'a.json',
        title: 'a trailing comma',
        text: `{"password": "${secret}",}`,
        at: '1:30',
        says: 'no valid JSON',
      },
      {
        name: 'a.json',
        title: 'a truncated document',
        text: `{"password": "${secret}"`,
        at: '1:29',
        says: 'no valid JSON',
      },
      {
        name: 'a.json',
        title: 'a line break in a string',
        text: `{"password": "${secret}\n"}`,
        at: '1:28',
        says: 'no valid JSON',
      },
      {
        name: 'a.json',
        title: 'a duplicate key',
        text: `{"a": 1,\n "a": "${secret}"}`,
        at: '2:2',
        says: 'stands twice',
      },
      {
        name: 'package.json',
        title: 'a comment',
        text: `{ // ${secret}\n}`,
        at: '1:3',
        says: 'neither comments',
      },
      {
        name: 'a.json',
        title: 'too deep nesting',
        text: `{"a": ${'['.repeat(20_000)}"${secret}"${']'.repeat(20_000)}}`,
        at: '1:',
        says: 'nested too deeply',
      },
    ];
    for (const { name, title, text, at, says } of cases) {
      it(`shows the position of ${title} in ${name}, without a quote of the text`, async () => {
        const folder = await folders.create({ [name]: text });
        const error = await errorOf(() => findConfig({ configFile: join(folder, name) }));
        expect(error.code).to.equal('ERR_CONFIG_SYNTAX');
        expect(error.message)
          .to.include(`${join(folder, name)}:${at}`)
          .and.to.include(says);
        expect(error.message).not.to.include('hunter2');
      });
    }
  });

  it('shows the position of invalid UTF-8', async () => {
    const folder = await folders.create();
    for (const name of ['a.yaml', 'a.json']) {
      const file = join(folder, name);
      await writeFile(file, Buffer.from('{"a": 1,\n "b": "caf\xe9"}', 'latin1'));
      const error = await errorOf(() => findConfig({ configFile: file }));
      expect(error.code).to.equal('ERR_CONFIG_SYNTAX');
      expect(error.message).to.include(`${file}:2:11`).and.to.include('no UTF-8');
    }
  });

  it('rejects a text above the maximum size', async () => {
    const folder = await folders.create({ 'a.json': `{"a": "${'x'.repeat(16 * 2 ** 20)}"}` });
    const error = await errorOf(() => findConfig({ configFile: join(folder, 'a.json') }));
    expect(error.code).to.equal('ERR_CONFIG_SYNTAX');
    expect(error.message).to.include('larger than 16 MiB');
  });

  for (const again of [false, true]) {
    it(`explains why code is not a module in a CommonJS folder${again ? ', also at a second read' : ''}`, async () => {
      const folder = await folders.create({
        'package.json': '{ "type": "commonjs" }',
        'portolan.config.ts': 'export default { sources: [] };',
      });
      const error = await errorOf(() => findConfig({ searchFrom: folder }, { again }));
      expect(error.code).to.equal('ERR_CONFIG_SYNTAX');
      expect(error.message).to.include(`${join(folder, 'package.json')} has "type": "commonjs"`);
      expect(error.hint)
        .to.include('"type": "module"')
        .and.to.include('portolan.config.mts and name it with --config.');
    });
  }

  it('times out when code never finishes loading', async () => {
    const folder = await folders.create({ 'a.mjs': 'await new Promise(() => {}); export default {};' });
    const error = await errorOf(() => importConfig(join(folder, 'a.mjs'), 20));
    expect(error.code).to.equal('ERR_CONFIG_SYNTAX');
    expect(error.message).to.include(join(folder, 'a.mjs')).and.to.include('did not finish within 0.02 s');
  });

  describe('positions', () => {
    const texts = {
      'a.yaml':
        'base: &base\n  x: 1\nsources:\n  - name: one\n  - name: two\n    git:\n      branch: main\nmore:\n  <<: *base\nagain: *base\n',
      'a.json':
        '{\n  "sources": [\n    { "name": "one" },\n    { "name": "two", "git": { "branch": "main" } }\n  ]\n}\n',
      'package.json':
        '{\n  "portolan": {\n    "sources": [\n      { "name": "one" },\n      { "name": "two", "git": { "branch": "main" } }\n    ]\n  }\n}\n',
    };
    const cases = [
      { name: 'a.yaml', place: ['sources', 1, 'git', 'branch'], at: '7:7' },
      { name: 'a.yaml', place: ['sources', 1, 'git', 'path'], at: '6:5' },
      { name: 'a.yaml', place: ['sources', 0], at: '4:5' },
      { name: 'a.yaml', place: ['sources', 5], at: '3:1' },
      { name: 'a.yaml', place: ['nothing'], at: '1:1' },
      { name: 'a.yaml', place: ['again', 'x'], at: '2:3' },
      { name: 'a.json', place: ['sources', 1, 'git', 'branch'], at: '4:31' },
      { name: 'package.json', place: ['sources', 1, 'git', 'branch'], at: '5:33' },
    ] as const;
    for (const { name, place, at } of cases) {
      it(`finds ${place.join('/')} of ${name} at ${at}`, async () => {
        const folder = await folders.create({ [name]: texts[name] });
        const found = await findConfig({ configFile: join(folder, name) });
        const position = found.positionOf(place);
        expect(`${position?.line}:${position?.column}`).to.equal(at);
      });
    }
  });
});
