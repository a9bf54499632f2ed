import { existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';

const ROOT = path.resolve(import.meta.dirname, '../..');
const FOLDER = path.join(ROOT, 'docs/reference');
/** Counts of the bounds without a row, which no user meets, by name and value. */
const UNLISTED = path.join(import.meta.dirname, 'limits/unlisted.json');
/** Set to 1, writes these counts instead of comparing with them. */
const IS_WRITING = process.env['PORTOLAN_WRITE_UNLISTED_LIMITS'] === '1';

interface Bound {
  readonly what: string;
  readonly maximum: string;
  readonly constant: string;
  /** Path of the source file, from `docs/reference`. */
  readonly source: string;
  /** Path of the test file, from `docs/reference`. */
  readonly test: string;
}

async function readBounds(): Promise<readonly Bound[]> {
  const page = await readFile(path.join(FOLDER, 'limits.md'), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| (?!Bound |---)/.test(line));
  return rows.map((row) => {
    const [, what = '', maximum = '', , , code = '', test = ''] = row.split('|').map((cell) => cell.trim());
    const [, constant = '', source = ''] = /^\[`(\w+)`\]\((.+)\)$/.exec(code) ?? [];
    return { what, maximum, constant, source, test: /\((.+)\)$/.exec(test)?.[1] ?? '' };
  });
}

/** Returns the value of a constant, or of a field, that the source writes as a product of numbers. */
async function valueOf({ constant, source }: Bound): Promise<number | undefined> {
  const code = await readFile(path.join(FOLDER, source), 'utf8');
  const [, product] = new RegExp(`\\b${constant}(?: =|:) ([\\d_ *]+)`).exec(code) ?? [];
  return product?.split('*').reduce((result, factor) => result * Number(factor.replaceAll('_', '')), 1);
}

/** Returns the files that define bounds without a row, by name and value. A moved file changes neither. */
async function findUnlisted(): Promise<ReadonlyMap<string, readonly string[]>> {
  const listed = new Set(
    (await readBounds()).map(
      ({ constant, source }) => `${constant} ${path.posix.join('docs/reference', source)}`,
    ),
  );
  const found = globSync('{packages,plugins}/*/src/**/*.ts', { cwd: ROOT }).flatMap((file) =>
    [
      ...readFileSync(path.join(ROOT, file), 'utf8').matchAll(
        /^(?:export )?const (MAX_\w+)(?:: number)? = ([\d_ *.]+);/gm,
      ),
    ]
      .filter(([, name]) => !listed.has(`${name} ${file}`))
      .map(([, name = '', value = '']) => ({ bound: `${name} = ${value}`, file })),
  );
  const byBound = Map.groupBy(found, ({ bound }) => bound);
  return new Map([...byBound].map(([bound, all]) => [bound, all.map(({ file }) => file)]));
}

describe('docs/reference/limits.md', () => {
  it('states the maximum that the code has in every row', async () => {
    const bounds = await readBounds();
    expect(bounds.length).to.be.greaterThan(20);
    const faults: string[] = [];
    for (const bound of bounds) {
      const value = await valueOf(bound);
      if (value?.toLocaleString('en') !== bound.maximum) {
        faults.push(`${bound.what}: ${bound.maximum} on the page, ${value} in ${bound.source}`);
      }
    }
    expect(faults).to.deep.equal([]);
  });

  it('names an existing test in every row', async () => {
    const isTest = (file: string): boolean =>
      file.endsWith('.test.ts') && existsSync(path.join(FOLDER, file));
    expect((await readBounds()).filter(({ test }) => !isTest(test))).to.deep.equal([]);
  });

  it('has a row for each new constant MAX_…', async () => {
    const unlisted = await findUnlisted();
    if (IS_WRITING) {
      const counts = [...unlisted].map(([bound, files]) => [bound, files.length] as const);
      const sorted = counts.toSorted(([one], [other]) => one.localeCompare(other));
      writeFileSync(UNLISTED, `${JSON.stringify(Object.fromEntries(sorted), undefined, 2)}\n`);
    }
    const known = JSON.parse(readFileSync(UNLISTED, 'utf8')) as Readonly<Record<string, number>>;
    const added = [...unlisted].flatMap(([bound, files]) =>
      files.length <= (known[bound] ?? 0) ? [] : [`${bound} in one of ${files.join(', ')}`],
    );
    const advice =
      'Add a row to docs/reference/limits.md. If no user meets the bound: PORTOLAN_WRITE_UNLISTED_LIMITS=1 npm run t -- test/architecture/limits.test.ts';
    expect(added, advice).to.deep.equal([]);
  });
});
