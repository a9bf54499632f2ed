import { expect } from 'chai';
import fc from 'fast-check';
import { formatPackage, parsePackage } from '../../src/target/parse-package.ts';
import { nameServer } from '../../src/consent/name-server.ts';
import { caught } from '../../../../test/support/caught.ts';
import { trials } from '../../../../test/support/soak.ts';

const SHELL = [
  'a;b',
  'a b',
  'a&&b',
  'a|b',
  'a`b`',
  'a$(b)',
  "a'b",
  'a"b',
  'a>b',
  'a<b',
  'a\nRUN b',
  'a\\b',
  '$HOME',
  '--help',
  '-g',
  '',
  ' a',
  'a@',
  'a@b c',
  'a@$(b)',
  'a@1;b',
  'git+https://example.org/a',
  'https://example.org/a.tgz',
  'file:../a',
  'a'.repeat(600),
];

describe('parsePackage of npm', () => {
  const good = [
    { text: 'server', name: 'server', version: undefined, pinned: false },
    { text: '@acme/notes-mcp', name: '@acme/notes-mcp', version: undefined, pinned: false },
    { text: '@acme/notes-mcp@2.1.0', name: '@acme/notes-mcp', version: '2.1.0', pinned: true },
    { text: 'server@v1.2.3', name: 'server', version: '1.2.3', pinned: true },
    { text: 'server@1.2.3-rc.1+5', name: 'server', version: '1.2.3-rc.1+5', pinned: true },
    { text: 'server@latest', name: 'server', version: 'latest', pinned: false },
    { text: 'server@^1.2', name: 'server', version: '^1.2', pinned: false },
    { text: 'server@1.x', name: 'server', version: '1.x', pinned: false },
    { text: 'server@1', name: 'server', version: '1', pinned: false },
    { text: 'server@>=1 <2', name: 'server', version: '>=1 <2', pinned: false },
    { text: 'server@>=1', name: 'server', version: '>=1', pinned: false },
    { text: 'server@1||2', name: 'server', version: '1||2', pinned: false },
    { text: 'server@1 || ^2.1.0-rc.1', name: 'server', version: '1 || ^2.1.0-rc.1', pinned: false },
    { text: 'server@1.2 - 2', name: 'server', version: '1.2 - 2', pinned: false },
    { text: 'server@=1.2.3', name: 'server', version: '=1.2.3', pinned: false },
    { text: 'JSONStream', name: 'JSONStream', version: undefined, pinned: false },
  ];
  for (const { text, ...expected } of good) {
    it(`parses ${text}`, () => {
      expect(parsePackage(text, 'npm')).to.deep.equal({ from: 'index', extras: [], ...expected });
    });
  }
  for (const text of [
    ...SHELL,
    '@acme',
    '@acme/',
    '@/a',
    'a/b',
    '.a',
    '_a',
    'a@npm:b',
    'a@>=1|2',
    'a@>=1 || ',
    'a@>= 1',
    'a@>>1',
    'a@1 -2',
    'a@>1; id',
    'a@>$HOME',
    'a@>/etc/passwd',
    'a@>1\n<2',
    `a@${'1||'.repeat(100)}1`,
    'acme/repo',
    'a@1.2.3.4',
    'a'.repeat(215),
  ]) {
    it(`rejects ${JSON.stringify(text.slice(0, 40))}`, async () => {
      expect(await caught(() => parsePackage(text, 'npm'))).to.have.property('code', 'ERR_PACKAGE');
    });
  }
});

describe('parsePackage of Python', () => {
  const good = [
    { text: 'mcp-server-time', name: 'mcp-server-time', extras: [], version: undefined, pinned: false },
    { text: 'a.b_c@2026.1.2', name: 'a.b_c', extras: [], version: '2026.1.2', pinned: true },
    { text: 'a==1.0.post1', name: 'a', extras: [], version: '1.0.post1', pinned: true },
    {
      text: 'a[x, y-z]@1!2.0rc1+local.1',
      name: 'a',
      extras: ['x', 'y-z'],
      version: '1!2.0rc1+local.1',
      pinned: true,
    },
    { text: 'a@latest', name: 'a', extras: [], version: 'latest', pinned: false },
  ];
  for (const { text, ...expected } of good) {
    it(`parses ${text}`, () => {
      expect(parsePackage(text, 'python')).to.deep.equal({ from: 'index', ...expected });
    });
  }
  for (const text of [
    ...SHELL,
    'a-',
    '-a',
    'a>=1',
    'a~=1',
    'a==1.*',
    'a[]',
    'a[x',
    'a[x y]',
    'a @ https://x',
    'a@main',
    'a==',
    'a;python_version<"4"',
    '@a/b',
  ]) {
    it(`rejects ${JSON.stringify(text.slice(0, 40))}`, async () => {
      expect(await caught(() => parsePackage(text, 'python'))).to.have.property('code', 'ERR_PACKAGE');
    });
  }
});

describe('parsePackage of Go', () => {
  const good = [
    { text: 'example.org/acme/tool', version: undefined, pinned: false },
    { text: 'example.org/acme/tool/cmd/server', version: undefined, pinned: false },
    { text: 'example.org/acme/tool@v1.2.0', version: 'v1.2.0', pinned: true },
    { text: 'example.org/acme/tool/v2@v2.0.0+incompatible', version: 'v2.0.0+incompatible', pinned: true },
    {
      text: 'example.org/tool@v0.0.0-20260101000000-0123456789ab',
      version: 'v0.0.0-20260101000000-0123456789ab',
      pinned: true,
    },
    { text: 'example.org/tool@latest', version: 'latest', pinned: false },
    { text: 'example.org/tool@main', version: 'main', pinned: false },
    { text: 'example.org', version: undefined, pinned: false },
  ];
  for (const { text, ...expected } of good) {
    it(`parses ${text}`, () => {
      const [name] = text.split('@');
      expect(parsePackage(text, 'go')).to.deep.equal({ from: 'index', name, extras: [], ...expected });
    });
  }
  for (const text of ['.', '..', './cmd/server', '../other', '/srv/project', './with space']) {
    it(`parses ${text} as a folder`, () => {
      expect(parsePackage(text, 'go')).to.deep.equal({ from: 'folder', path: text });
    });
  }
  for (const text of [
    ...SHELL,
    'tool',
    'acme/tool',
    'example.org/',
    'example.org//x',
    'example.org/../x',
    'example.org/.git',
    'Example.org/x',
    'example.org/x@',
    'example.org/x@a/b',
    './a`b',
    './a$b',
    './a"b',
  ]) {
    it(`rejects ${JSON.stringify(text.slice(0, 40))}`, async () => {
      expect(await caught(() => parsePackage(text, 'go'))).to.have.property('code', 'ERR_PACKAGE');
    });
  }
});

describe('parsePackage with a program', () => {
  for (const [text, ecosystem, name, version] of [
    ['pip-tools#pip-compile', 'python', 'pip-tools', undefined],
    ['mcp[cli]@1.2#mcp', 'python', 'mcp', '1.2'],
    ['mcp==1.2#mcp', 'python', 'mcp', '1.2'],
    ['@acme/notes@^1.2#notes.admin', 'npm', '@acme/notes', '^1.2'],
  ] as const) {
    it(`parses ${text}, and formats it back (uv 17779)`, () => {
      const reference = parsePackage(text, ecosystem);
      expect(reference).to.include({ name, version, program: text.split('#')[1] });
      expect(parsePackage(formatPackage(reference), ecosystem)).to.deep.equal(reference);
    });
  }
  for (const text of [
    'a#',
    'a#-x',
    'a#../x',
    'a#b/c',
    'a#b c',
    "a#b'c",
    'a##b',
    'a#$(id)',
    `a#${'b'.repeat(101)}`,
    '#b',
  ]) {
    it(`rejects ${text.slice(0, 20)}`, async () => {
      for (const ecosystem of ['npm', 'python'] as const)
        expect(await caught(() => parsePackage(text, ecosystem))).to.have.property('code', 'ERR_PACKAGE');
    });
  }

  it('rejects a program after a Go package, whose path names the program', async () => {
    const error = await caught(() => parsePackage('example.org/acme/tool#server', 'go'));
    expect(error).to.include({ code: 'ERR_PACKAGE' });
    expect(error).to.have.property('hint').that.includes('cmd/server');
  });

  it('nameServer › ignores the version, but not the program', () => {
    expect(nameServer('npx://@acme/notes@2#admin')).to.equal('npx://@acme/notes#admin');
    expect(nameServer('npx://@acme/notes#admin')).to.equal('npx://@acme/notes#admin');
    expect(nameServer('npx://@acme/notes@2')).to.equal('npx://@acme/notes');
  });
});

describe('parsePackage', () => {
  it('accepts no character with a meaning in a shell, and formats back what it accepts', () => {
    const nearly = fc.oneof(
      fc.string(),
      fc.stringMatching(/^[@a-z./]{1,12}[a-z0-9@.;$ `-]{0,12}$/),
      fc.constantFrom(...SHELL),
    );
    fc.assert(
      fc.property(
        nearly,
        fc.constantFrom('npm' as const, 'python' as const, 'go' as const),
        (text, ecosystem) => {
          let reference: ReturnType<typeof parsePackage>;
          try {
            reference = parsePackage(text, ecosystem);
          } catch {
            return;
          }
          const written = formatPackage(reference);
          expect(parsePackage(written, ecosystem)).to.deep.equal(reference);
          if (reference.from !== 'index') return;
          // A range of npm is looked up, and no build sees it; what a build sees is the version that was found.
          const { version, ...plain } = reference;
          const seen =
            ecosystem === 'npm' && !reference.pinned
              ? formatPackage({ ...plain, version: undefined })
              : written;
          expect(seen)
            .to.match(/^[A-Za-z0-9@[\]._~!^*+/,x#-]+$/)
            .and.not.match(/^-/);
          expect(version ?? '').to.match(/^[A-Za-z0-9._~!^*+/,x<>=| -]*$/);
        },
      ),
      trials({ short: 1000 }),
    );
  });

  for (const ecosystem of ['npm', 'python'] as const) {
    for (const text of ['.', '..', './notes', '../notes', '/srv/notes', './with space']) {
      it(`parses ${text} of ${ecosystem} as a folder`, () => {
        expect(parsePackage(text, ecosystem)).to.deep.equal({ from: 'folder', path: text });
        const reference = { from: 'folder', path: text, program: 'admin' } as const;
        expect(parsePackage(`${text}#admin`, ecosystem)).to.deep.equal(reference);
        expect(formatPackage(reference)).to.equal(`${text}#admin`);
      });
    }

    for (const text of ['./a"b', './a$(id)', './a#', './a#../b', './a#b#c', '~/notes', '...', './a\\b']) {
      it(`rejects ${text} of ${ecosystem}`, () => {
        expect(() => parsePackage(text, ecosystem))
          .to.throw()
          .with.property('code', 'ERR_PACKAGE');
      });
    }
  }

  it('calls the parser of a scheme that has its own', () => {
    const reference = { from: 'folder', path: 'mine' } as const;
    expect(parsePackage('anything', () => reference)).to.equal(reference);
  });
});
