import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import fc from 'fast-check';
import { parse } from 'yaml';
import {
  formatLockFile,
  type LockFile,
  parseLockFile,
  readLockFile,
  sourceOf,
  writeLockFile,
} from '../../src/index.ts';
import { skipTest } from '../../../../test/support/skip-suite.ts';
import { lockWorkload, makeFolder, storedLock } from '../support/lock.ts';

const CONTENTS = 'portolan.lock.d/';
const DIGEST = `sha256:${'a'.repeat(64)}`;

/** Returns the error that a call rejects with. */
async function errorOf(work: Promise<unknown>): Promise<Error & { readonly code?: string }> {
  try {
    await work;
  } catch (error) {
    // SAFETY: the library throws errors.
    return error as Error;
  }
  throw new Error('expected an error');
}

function problemsOf(text: string): string {
  try {
    parseLockFile(text, 'portolan.lock', CONTENTS);
  } catch (error) {
    expect(error).to.include({ code: 'ERR_LOCK_FILE', class: 'mistake' });
    return String(error);
  }
  return '';
}

describe('formatLockFile', () => {
  it('formatLockFile › writes one line for each tool, sorted, without anything of the machine', () => {
    const text = formatLockFile(storedLock(['b', 'a']).lock, CONTENTS);
    const lines = text.split('\n').filter((line) => !line.trim().startsWith('#'));
    expect(lines.slice(0, 5)).to.deep.equal([
      'version: 1',
      'formula: 1',
      'workloads:',
      '  a:',
      '    source: npx://@acme/a@2.1.0',
    ]);
    expect(
      lines.filter((line) =>
        /^ {6}search_code: \{ digest: sha256:\w{64}, approved: 2026-11-29, by: ada \}$/.test(line),
      ),
    ).to.have.length(2);
    expect(lines.at(-2)).to.equal('contents: portolan.lock.d/');
    expect(lines.at(-1)).to.equal('');
  });

  it('formatLockFile › writes equal bytes for equal lock files in any order', () => {
    const texts = [
      ['b', 'a', 'c1'],
      ['c1', 'b', 'a'],
    ].map((names) => formatLockFile(storedLock(names).lock, CONTENTS));
    expect(texts[0]).to.equal(texts[1]);
    expect(formatLockFile(parseLockFile(texts[0] ?? '', '', CONTENTS), CONTENTS)).to.equal(texts[0]);
  });

  it('formatLockFile › writes a file that other YAML parsers read', () => {
    const { workloads, contents } = parse(formatLockFile(storedLock(['a']).lock, CONTENTS)) as {
      readonly workloads: { readonly a: { readonly server: unknown; readonly resolved: unknown } };
      readonly contents: string;
    };
    expect(contents).to.equal(CONTENTS);
    expect(workloads.a.resolved).to.deep.equal({
      package: '@acme/a',
      version: '2.1.0',
      integrity: 'sha512-AAAA',
    });
    expect(workloads.a.server).to.include({ name: 'a', version: '2.1.0' });
  });

  it('formatLockFile › writes a tab as an escape, also next to a quotation mark', () => {
    const { workload } = lockWorkload('a');
    const server = { ...workload.server, version: '\t"' };
    const workloads = new Map([['a', { ...workload, server }]]);
    const written = formatLockFile({ version: 1, formula: 1, workloads }, CONTENTS);
    expect(written).to.not.include('\t');
    expect(parseLockFile(written, 'portolan.lock', CONTENTS).workloads.get('a')?.server.version).to.equal(
      '\t"',
    );
  });

  it('formatLockFile › keeps every name of a tool and every version, in printable characters', () => {
    const text = fc.string({ unit: 'binary', minLength: 1, maxLength: 40 });
    const tricky = fc.constantFrom(
      'null',
      '1.0',
      '1e3',
      '2026-11-29',
      '#',
      '- a',
      'a: b',
      '"',
      "'",
      '\n',
      '\u200b',
      '\u{e0041}',
      '__proto__',
      '<<',
      '? a',
      '',
      '~',
      'a\ud800',
      ' a ',
      'x'.repeat(2000),
    );
    const { workload } = lockWorkload('a');
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(text, tricky)), fc.oneof(text, tricky), (names, version) => {
        const item = { digest: DIGEST, approved: '2026-11-29', by: undefined };
        const lock: LockFile = {
          version: 1,
          formula: 1,
          workloads: new Map([
            [
              'a',
              {
                ...workload,
                server: { ...workload.server, version },
                tools: new Map(names.map((name) => [name, item])),
              },
            ],
          ]),
        };
        const written = formatLockFile(lock, CONTENTS);
        const again = parseLockFile(written, 'portolan.lock', CONTENTS).workloads.get('a');
        expect([...(again?.tools.keys() ?? [])]).to.have.members([...names]);
        expect(again?.server.version).to.equal(version);
        expect(written).to.not.match(/[\p{Default_Ignorable_Code_Point}[\p{Cc}--[\n\x80-\x9f]]]/v);
      }),
      { numRuns: 40 },
    );
  });
});

describe('parseLockFile', () => {
  const WORKLOAD = `    source: npx://a@1.0.0
    server: { revisions: [2025-11-25], capabilities: ${DIGEST} }
    tools: {}
    prompts: {}
    templates: {}
`;
  const VALID = `version: 1\nformula: 1\nworkloads:\n  a:\n${WORKLOAD}contents: portolan.lock.d/\n`;

  it('parseLockFile › accepts a minimal file, and one without workloads', () => {
    expect(problemsOf(VALID)).to.equal('');
    expect(problemsOf('version: 1\nformula: 1\nworkloads:\ncontents: portolan.lock.d/\n')).to.equal('');
    expect(problemsOf('version: 1\nformula: 1\nworkloads: {}\ncontents: portolan.lock.d/\n')).to.equal('');
  });

  const broken: readonly (readonly [title: string, text: string, problem: string])[] = [
    ['an empty file', '', 'line 1, column 1: the file: found nothing; expected a map'],
    ['a list', '- a', 'line 1, column 1: the file: found a list; expected a map'],
    [
      'a newer version',
      VALID.replace('version: 1', 'version: 2'),
      'line 1, column 10: version: found 2; expected 1',
    ],
    [
      'a newer formula',
      VALID.replace('formula: 1', 'formula: 2'),
      'line 2, column 10: formula: found 2; expected 1',
    ],
    [
      'a version that is text',
      VALID.replace('version: 1', 'version: "1"'),
      'line 1, column 10: version: found another text; expected 1',
    ],
    ['a missing key', VALID.replace('formula: 1\n', ''), 'formula: found nothing; expected this key'],
    [
      'an unknown key',
      VALID.replace('formula', 'x: 1\nformula'),
      'line 2, column 1: x: found an unknown key',
    ],
    [
      'an unknown key of a workload',
      VALID.replace('    source', '    path: a\n    source'),
      'line 5, column 5: workloads.a.path: found an unknown key',
    ],
    [
      'other contents',
      VALID.replace('portolan.lock.d/', '../x/'),
      'contents: found another text; expected "portolan.lock.d/"',
    ],
    ['a tab as indentation', VALID.replace('    source', '\tsource'), 'line 5, column'],
    ['an open bracket', VALID.replace(' }', ''), 'line 7, column'],
    ['a key twice', VALID.replace('    tools', '    prompts: {}\n    tools'), 'found a key twice'],
    ['two documents', `${VALID}---\n${VALID}`, 'found a second document'],
    [
      'an alias',
      VALID.replace('tools: {}', 'tools: &a {}').replace('prompts: {}', 'prompts: *a'),
      'line 8, column 14: workloads.a.prompts: found an alias; expected a map',
    ],
    [
      'a conflict of a merge',
      VALID.replace('    source', '<<<<<<< HEAD\n    source'),
      'line 5, column 1: found a conflict of a merge',
    ],
    [
      'a digest with upper case',
      VALID.replace('aaaa}', 'x').replace(DIGEST, DIGEST.toUpperCase()),
      'workloads.a.server.capabilities: found another text; expected "sha256:"',
    ],
    [
      'a workload name with a slash',
      VALID.replace('  a:', '  a/b:'),
      'line 4, column 3: workloads["a/b"]: found another name',
    ],
    [
      'a date that does not exist',
      VALID.replace('tools: {}', `tools: { x: { digest: ${DIGEST}, approved: 2026-02-30 } }`),
      'workloads.a.tools.x.approved: found another text; expected a date',
    ],
    [
      'an item without a date',
      VALID.replace('tools: {}', `tools: { x: { digest: ${DIGEST} } }`),
      'workloads.a.tools.x.approved: found nothing',
    ],
    [
      'a package without integrity',
      VALID.replace('    server', '    resolved: { package: a, version: 1.0.0 }\n    server'),
      'workloads.a.resolved.integrity: found nothing',
    ],
    [
      'an image with integrity',
      VALID.replace(
        '    server',
        `    resolved: { image: a, digest: ${DIGEST}, integrity: sha512-A }\n    server`,
      ),
      'workloads.a.resolved.integrity: found an unknown key',
    ],
    [
      'an absolute path',
      VALID.replace('npx://a@1.0.0', '/home/ada/server'),
      'workloads.a.source: found another text; expected a text without a path',
    ],
    [
      'a path of another system',
      VALID.replace('npx://a@1.0.0', String.raw`C:\ada\server`),
      'workloads.a.source: found another text',
    ],
    [
      'a path behind a scheme',
      VALID.replace('npx://a@1.0.0', 'npx://./server'),
      'workloads.a.source: found another text',
    ],
    [
      'a password',
      VALID.replace('npx://a@1.0.0', 'https://ada:secret@acme.example/mcp'),
      'workloads.a.source: found another text',
    ],
    [
      'a query',
      VALID.replace('npx://a@1.0.0', 'https://acme.example/mcp?key=secret'),
      'workloads.a.source: found another text',
    ],
  ];
  for (const [title, text, problem] of broken) {
    it(`parseLockFile › refuses ${title}`, () => {
      const problems = problemsOf(text);
      expect(problems).to.include(problem);
      expect(problems).to.match(/line \d+, column \d+: /);
      expect(problems).to.not.include('secret');
    });
  }

  it('parseLockFile › shows all problems at once, in the order of the file', () => {
    const text = VALID.replace('version: 1', 'version: 3')
      .replace('prompts: {}', 'prompts: []')
      .replace('source', 'sauce');
    const lines = problemsOf(text).split('\n').slice(1);
    expect(lines).to.have.length(4);
    expect(lines.map((line) => Number(/line (\d+)/.exec(line)?.[1]))).to.deep.equal([1, 4, 5, 8]);
  });

  it('parseLockFile › never fails otherwise on a damaged file', () => {
    const text = formatLockFile(storedLock(['a']).lock, CONTENTS);
    fc.assert(
      fc.property(fc.nat(text.length), fc.nat(40), fc.string({ maxLength: 8 }), (at, length, by) => {
        problemsOf(text.slice(0, at) + by + text.slice(at + length));
      }),
      { numRuns: 150 },
    );
  });
});

describe('sourceOf', () => {
  const rows: readonly (readonly [target: string, source: string])[] = [
    ['npx://@acme/github-mcp@2.1.0', 'npx://@acme/github-mcp@2.1.0'],
    ['ghcr.io/acme/github:2.1.0', 'ghcr.io/acme/github:2.1.0'],
    ['https://ada:secret@acme.example/mcp?key=secret#x', 'https://acme.example/mcp'],
    ['https://acme.example/mcp', 'https://acme.example/mcp'],
    ['npx://./servers/notes', 'folder:notes'],
    ['uvx:///home/ada/notes/', 'folder:notes'],
    ['/home/ada/notes', 'folder:notes'],
    [String.raw`C:\ada\notes`, 'folder:notes'],
    ['npx://..', 'folder:.'],
  ];
  for (const [target, source] of rows) {
    it(`sourceOf › returns ${source} for ${target}`, () => {
      expect(sourceOf(target)).to.equal(source);
    });
  }
});

describe('writeLockFile', () => {
  it('writeLockFile › writes what readLockFile reads', async () => {
    await using temporary = await makeFolder();
    const file = path.join(temporary.folder, 'portolan.lock');
    const stored = storedLock(['a', 'b']);
    expect(await writeLockFile(file, stored)).to.equal(true);
    const again = await readLockFile(file);
    expect(again === undefined ? '' : formatLockFile(again.lock, CONTENTS)).to.equal(
      formatLockFile(stored.lock, CONTENTS),
    );
    expect([...(again?.contents ?? [])]).to.have.deep.members([...stored.contents]);
    expect(await readdir(temporary.folder)).to.have.members(['portolan.lock', 'portolan.lock.d']);
  });

  it('writeLockFile › changes no file when nothing changed', async () => {
    await using temporary = await makeFolder();
    const file = path.join(temporary.folder, 'portolan.lock');
    await writeLockFile(file, storedLock(['a']));
    const before = await stat(file);
    expect(await writeLockFile(file, storedLock(['a']))).to.equal(false);
    const stored = await readLockFile(file);
    if (stored !== undefined) expect(await writeLockFile(file, stored)).to.equal(false);
    expect((await stat(file)).ino).to.equal(before.ino);
  });

  it('writeLockFile › removes contents that no digest names, and no other file', async () => {
    await using temporary = await makeFolder();
    const file = path.join(temporary.folder, 'portolan.lock');
    await writeLockFile(file, storedLock(['a', 'b']));
    await writeFile(`${file}.d/README.md`, 'text');
    await writeLockFile(file, storedLock(['b']));
    const names = await readdir(`${file}.d`);
    expect(names).to.include('README.md');
    expect(names).to.have.length(new Set(storedLock(['b']).contents.keys()).size + 1);
  });

  it('writeLockFile › keeps contents of other workloads when the caller has those of one', async () => {
    await using temporary = await makeFolder();
    const file = path.join(temporary.folder, 'portolan.lock');
    const all = storedLock(['a', 'b']);
    await writeLockFile(file, all);
    const one = await readLockFile(file, { workload: 'a' });
    expect(one?.contents.size).to.be.below(all.contents.size);
    if (one !== undefined) expect(await writeLockFile(file, one)).to.equal(false);
    expect((await readLockFile(file))?.contents.size).to.equal(all.contents.size);
  });

  it('writeLockFile › refuses a file that would not be valid, and changes nothing', async () => {
    await using temporary = await makeFolder();
    const file = path.join(temporary.folder, 'portolan.lock');
    const { workload, contents } = lockWorkload('a');
    const bad = { ...workload, source: '/home/ada/server' };
    const lock: LockFile = { version: 1, formula: 1, workloads: new Map([['a', bad]]) };
    expect(await errorOf(writeLockFile(file, { lock, contents }))).to.include({ code: 'ERR_LOCK_FILE' });
    const wrong = new Map([...contents].map(([digest]) => [digest, '{}']));
    const good: LockFile = { ...lock, workloads: new Map([['a', workload]]) };
    expect(await errorOf(writeLockFile(file, { lock: good, contents: wrong }))).to.include({
      code: 'ERR_LOCK_FILE',
    });
    expect(await readdir(temporary.folder)).to.deep.equal([]);
  });

  it('writeLockFile › leaves the old file when it cannot write the contents', async () => {
    await using temporary = await makeFolder();
    const file = path.join(temporary.folder, 'portolan.lock');
    await writeLockFile(file, storedLock(['a']));
    const before = await readFile(file, 'utf8');
    await rm(`${file}.d`, { recursive: true });
    await writeFile(`${file}.d`, 'a file in place of the folder');
    const error = await errorOf(writeLockFile(file, storedLock(['b'])));
    expect(error).to.include({ code: 'ERR_STATE_INACCESSIBLE', class: 'fault' });
    expect(await readFile(file, 'utf8')).to.equal(before);
    expect(await readdir(temporary.folder)).to.have.members(['portolan.lock', 'portolan.lock.d']);
  });

  it('writeLockFile › replaces the file that a link leads to', async function () {
    if (process.platform === 'win32') skipTest(this, 'links need a privilege on this system');
    await using temporary = await makeFolder();
    const [link, file] = ['link.lock', 'portolan.lock'].map((name) => path.join(temporary.folder, name));
    if (link === undefined || file === undefined) return;
    await writeLockFile(file, storedLock(['a']));
    await symlink(file, link);
    await writeLockFile(link, storedLock(['b']));
    expect([...((await readLockFile(file))?.lock.workloads.keys() ?? [])]).to.deep.equal(['b']);
    expect([...((await readLockFile(link))?.lock.workloads.keys() ?? [])]).to.deep.equal(['b']);
  });
});

describe('readLockFile', () => {
  it('readLockFile › returns undefined for a file that does not exist', async () => {
    await using temporary = await makeFolder();
    expect(await readLockFile(path.join(temporary.folder, 'portolan.lock'))).to.equal(undefined);
  });

  it('readLockFile › reports a folder in place of the file', async () => {
    await using temporary = await makeFolder();
    const error = await errorOf(readLockFile(temporary.folder));
    expect(error).to.include({ code: 'ERR_STATE_INACCESSIBLE', class: 'fault' });
  });

  it('readLockFile › refuses a file of more than 8 MiB, and contents of more than 4 MiB', async () => {
    await using temporary = await makeFolder();
    const file = path.join(temporary.folder, 'portolan.lock');
    await writeLockFile(file, storedLock(['a']));
    const [name = ''] = await readdir(`${file}.d`);
    await writeFile(path.join(`${file}.d`, name), ' '.repeat(4 * 1024 * 1024 + 1));
    expect(await errorOf(readLockFile(file))).to.include({ code: 'ERR_LOCK_FILE', class: 'mistake' });
    await writeFile(file, ' '.repeat(8 * 1024 * 1024 + 1));
    const error = await errorOf(readLockFile(file));
    expect(error).to.include({ code: 'ERR_LOCK_FILE', class: 'mistake' });
    expect(error.message).to.include('found more than 8388608 bytes');
  });

  it('readLockFile › leaves out contents that do not exist', async () => {
    await using temporary = await makeFolder();
    const file = path.join(temporary.folder, 'portolan.lock');
    await writeLockFile(file, storedLock(['a']));
    await rm(`${file}.d`, { recursive: true });
    expect((await readLockFile(file))?.contents.size).to.equal(0);
  });

  it('readLockFile › names every content whose text does not have its digest', async () => {
    await using temporary = await makeFolder();
    const file = path.join(temporary.folder, 'portolan.lock');
    await writeLockFile(file, storedLock(['a']));
    const names = (await readdir(`${file}.d`)).slice(0, 2);
    for (const name of names) await writeFile(path.join(`${file}.d`, name), '{"name":"evil"}');
    const error = await errorOf(readLockFile(file));
    expect(error).to.include({ code: 'ERR_LOCK_FILE', class: 'mistake' });
    for (const name of names)
      expect(error.message).to.include(`portolan.lock.d/${name}: found a text with the digest`);
  });

  it('readLockFile › reads contents of a lock file with another name', async () => {
    await using temporary = await makeFolder();
    await mkdir(path.join(temporary.folder, 'locks'));
    const file = path.join(temporary.folder, 'locks', 'production.yaml');
    await writeLockFile(file, storedLock(['a']));
    expect((await readLockFile(file))?.contents.size).to.equal(storedLock(['a']).contents.size);
    expect(await readdir(path.dirname(file))).to.have.members(['production.yaml', 'production.yaml.d']);
  });
});
