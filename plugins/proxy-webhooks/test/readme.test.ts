import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderFieldTable } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { webhooksConfig } from '../src/index.ts';

const read = (file: string): Promise<string> => readFile(join(import.meta.dirname, '..', file), 'utf8');

async function codesIn(file: string): Promise<readonly string[]> {
  return [...new Set((await read(file)).match(/ERR_WEBHOOK_[A-Z_]+/g))].toSorted();
}

describe('README.md', () => {
  it('lists the configuration fields', async () => {
    const text = await read('README.md');
    expect(text).to.include(`\n${renderFieldTable(webhooksConfig)}\n\n`);
  });

  it('lists exactly the existing error codes', async () => {
    expect(await codesIn('README.md')).to.deep.equal(await codesIn('src/errors.ts'));
  });
});
