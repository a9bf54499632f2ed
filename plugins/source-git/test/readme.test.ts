import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderFieldTable } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { gitConfig } from '../src/index.ts';

async function codesIn(file: string): Promise<readonly string[]> {
  const text = await readFile(join(import.meta.dirname, '..', file), 'utf8');
  return [...new Set(text.match(/ERR_(?:SOURCE|SCRATCH)_[A-Z_]+/g))].toSorted();
}

describe('README.md', () => {
  it('lists the configuration fields', async () => {
    const text = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
    expect(text).to.include(`\n${renderFieldTable(gitConfig)}\n\n`);
  });

  it('lists exactly the existing error codes', async () => {
    expect(await codesIn('README.md')).to.deep.equal(await codesIn('src/errors.ts'));
  });
});
