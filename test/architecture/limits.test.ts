import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';

const ROOT = path.resolve(import.meta.dirname, '../..');
const DOCS = path.join(ROOT, 'docs');

interface Bound {
  readonly what: string;
  readonly maximum: string;
  readonly constant: string;
  /** Path of the source file, from `docs`. */
  readonly source: string;
  /** Path of the test file, from `docs`. */
  readonly test: string;
}

async function readBounds(): Promise<readonly Bound[]> {
  const page = await readFile(path.join(DOCS, 'limits.md'), 'utf8');
  const rows = page.split('\n').filter((line) => /^\| (?!Bound |---)/.test(line));
  return rows.map((row) => {
    const [, what = '', maximum = '', , , code = '', test = ''] = row.split('|').map((cell) => cell.trim());
    const [, constant = '', source = ''] = /^\[`(\w+)`\]\((.+)\)$/.exec(code) ?? [];
    return { what, maximum, constant, source, test: /\((.+)\)$/.exec(test)?.[1] ?? '' };
  });
}

/** Returns the value of a constant, or of a field, that the source writes as a product of numbers. */
async function valueOf({ constant, source }: Bound): Promise<number | undefined> {
  const code = await readFile(path.join(DOCS, source), 'utf8');
  const [, product] = new RegExp(`\\b${constant}(?: =|:) ([\\d_ *]+)`).exec(code) ?? [];
  return product?.split('*').reduce((result, factor) => result * Number(factor.replaceAll('_', '')), 1);
}

describe('docs/limits.md', () => {
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
    const isTest = (file: string): boolean => file.endsWith('.test.ts') && existsSync(path.join(DOCS, file));
    expect((await readBounds()).filter(({ test }) => !isTest(test))).to.deep.equal([]);
  });
});
