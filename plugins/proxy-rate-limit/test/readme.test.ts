import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderFieldTable } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { rateLimitConfig } from '../src/index.ts';

describe('README.md', () => {
  it('lists the configuration fields', async () => {
    const text = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
    expect(text).to.include(`\n${renderFieldTable(rateLimitConfig)}\n\n`);
  });

  it('lists exactly the existing error codes', async () => {
    const codesIn = async (file: string): Promise<readonly string[]> => {
      const text = await readFile(join(import.meta.dirname, '..', file), 'utf8');
      return [...new Set(text.match(/ERR_(?:RATE_LIMIT|STORE)_[A-Z_]+/g))].toSorted();
    };
    expect(await codesIn('README.md')).to.deep.equal(await codesIn('src/errors.ts'));
  });
});
