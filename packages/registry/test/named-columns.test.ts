import { expect } from 'chai';
import { glob, readFile } from 'node:fs/promises';
import path from 'node:path';

const SOURCES = path.resolve(import.meta.dirname, '../src');

/** These take all columns of a query of their own, which names them. */
const OF_QUERIES = ['read/key-queries.ts'];

describe('SQL statements', () => {
  it('name the columns of tables, because PostgreSQL rejects a prepared "*" after a migration adds a column', async () => {
    const found: string[] = [];
    for await (const file of glob('**/*.ts', { cwd: SOURCES })) {
      const text = await readFile(path.join(SOURCES, file), 'utf8');
      if (/\b(?:selectAll|returningAll)\(/.test(text)) found.push(file);
    }
    expect(found).to.deep.equal(OF_QUERIES);
  });
});
