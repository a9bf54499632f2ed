import { existsSync } from 'node:fs';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { IMPORT_TABLE, WINGS } from './import-table.ts';

const root = path.resolve(import.meta.dirname, '../..');
const PAGE = 'docs/architecture.md';
const PAGES = [PAGE, 'docs/contributing/*.md', 'CONTRIBUTING.md', '{packages,plugins}/*/README.md'];

/** Returns the paths that a page for contributors names, by a link or in code. */
function namedPaths(page: string, text: string): readonly string[] {
  const links = [...text.matchAll(/\]\((?!https?:|mailto:|#)([^)#]+)(?:#[^)]*)?\)/g)].map(([, target = '']) =>
    path.posix.join(path.posix.dirname(page), target),
  );
  // Outside a package's README, `src` means that of any package.
  const folder = page.endsWith('README.md') ? path.posix.dirname(page) : undefined;
  const inCode = [...text.matchAll(/`((src|packages|plugins|examples|test|scripts|docs|bench)\/[\w./-]+)`/g)]
    .flatMap(([, named = '', first]) => {
      if (first !== 'src') return [named];
      return folder === undefined ? [] : [`${folder}/${named}`];
    })
    // A placeholder is in capitals: `plugins/source-NAME`.
    .filter((named) => !/[A-Z]{2}/.test(named));
  return [...links, ...inCode];
}

/** Returns links whose text is the name of another file than their target. */
function misnamedLinks(text: string): readonly string[] {
  return [...text.matchAll(/\[`([\w.-]+\.(?:ts|js|json|md))`\]\(([^)#]+)\)/g)]
    .filter(([, label, target = '']) => path.posix.basename(target) !== label)
    .map(([link]) => link);
}

/** Returns the rows of the first table below a heading, each as its cells. */
function tableBelow(text: string, heading: string): readonly (readonly string[])[] {
  const [, below = ''] = text.split(`\n${heading}\n`);
  const [table = ''] = /(?:^\|.*\n)+/m.exec(below) ?? [];
  const [, , ...rows] = table.trimEnd().split('\n');
  return rows.map((row) => row.split('|').map((cell) => cell.trim())).map((cells) => cells.slice(1, -1));
}

/** Returns the code spans in a cell. */
function namesIn(cell = ''): readonly string[] {
  return [...cell.matchAll(/`([\w-]+)`/g)].map(([, name = '']) => name);
}

describe('pages for contributors', () => {
  it('name only files and folders that exist', async () => {
    const lost: string[] = [];
    let found = 0;
    for await (const file of glob(PAGES, { cwd: root })) {
      const page = file.split(path.sep).join('/');
      const text = await readFile(path.join(root, page), 'utf8');
      const named = namedPaths(page, text);
      found += named.length;
      lost.push(...named.filter((one) => !existsSync(path.join(root, one))).map((one) => `${page}: ${one}`));
      lost.push(...misnamedLinks(text).map((link) => `${page}: ${link}`));
    }
    expect(found).to.be.greaterThan(100);
    expect(lost.join('\n')).to.equal('');
  });
});

describe('docs/architecture.md', () => {
  let text: string;
  before(async () => {
    text = await readFile(path.join(root, PAGE), 'utf8');
  });

  it('lists every package with its permitted imports', () => {
    const rows = tableBelow(text, '## Packages').map(([name, , imports]): [string, readonly string[]] => [
      `@portolan/${namesIn(name).join()}`,
      namesIn(imports).map((one) => `@portolan/${one}`),
    ]);
    expect(Object.fromEntries(rows)).to.deep.equal(IMPORT_TABLE);
    expect(rows).to.have.lengthOf(Object.keys(IMPORT_TABLE).length);
  });

  it('lists a package after the packages that it imports', () => {
    const names = tableBelow(text, '## Packages').map(([name]) => `@portolan/${namesIn(name).join()}`);
    for (const [index, name] of names.entries()) {
      expect(names.slice(0, index), name).to.include.members([...(IMPORT_TABLE[name] ?? [])]);
    }
  });

  for (const name of ['kernel', 'registry', 'registry-server', 'registry-client', 'workload', 'cli']) {
    it(`lists the layers of ${name} in order`, () => {
      const folders = (WINGS[`@portolan/${name}`] ?? []).filter((wing) => !wing.endsWith('.ts'));
      expect(folders).not.to.deep.equal([]);
      const rows = tableBelow(text, `### ${name}`);
      expect(rows.map(([wing]) => namesIn(wing).join())).to.deep.equal(folders);
    });
  }
});

describe('namedPaths', () => {
  const cases = [
    {
      title: 'returns the target of a link, from the root',
      text: '[here](../contributing/tests.md#x)',
      expected: ['docs/contributing/tests.md'],
    },
    {
      title: 'returns a path in inline code',
      text: 'in `packages/kernel/src`',
      expected: ['packages/kernel/src'],
    },
    {
      title: 'resolves a path in the README of a package against its folder',
      page: 'packages/kernel/README.md',
      text: '`src/config`',
      expected: ['packages/kernel/src/config'],
    },
    {
      title: 'omits URLs, anchors, placeholders and files of any package',
      text: '[a](https://a.example/) [b](#b) `plugins/source-NAME` `src/errors.ts`',
      expected: [],
    },
  ];
  for (const { title, page = 'docs/contributing/flag.md', text, expected } of cases) {
    it(title, () => {
      expect(namedPaths(page, text)).to.deep.equal(expected);
    });
  }
});

describe('misnamedLinks', () => {
  it('finds a link whose text still has the old name of a renamed file', () => {
    const text = '[`a.ts`](../src/b.ts) [`b.ts`](../src/b.ts) [words](../src/b.ts)';
    expect(misnamedLinks(text)).to.deep.equal(['[`a.ts`](../src/b.ts)']);
  });
});
