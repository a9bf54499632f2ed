import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderFieldTable } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { kubernetesConfig } from '../src/index.ts';

async function codesIn(file: string): Promise<readonly string[]> {
  const text = await readFile(join(import.meta.dirname, '..', file), 'utf8');
  return [...new Set(text.match(/ERR_(?:SOURCE|KUBERNETES)_[A-Z_]+/g))].toSorted();
}

describe('README.md', () => {
  it('shows the fields as they are', async () => {
    const text = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
    expect(text).to.include(`\n${renderFieldTable(kubernetesConfig)}\n\n`);
  });

  it('names every error code, and none that does not exist', async () => {
    expect(await codesIn('README.md')).to.deep.equal(await codesIn('src/errors.ts'));
  });
});
