import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderFieldTable } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { dockerConfig } from '../src/index.ts';

async function read(file: string): Promise<string> {
  return await readFile(join(import.meta.dirname, '..', file), 'utf8');
}

describe('README.md', () => {
  it('lists the configuration fields', async () => {
    expect(await read('README.md')).to.include(`\n${renderFieldTable(dockerConfig)}\n\n`);
  });

  it('lists exactly the existing error codes', async () => {
    const codes = (text: string): readonly string[] => [...new Set(text.match(/ERR_[A-Z_]+/g))].toSorted();
    expect(codes(await read('README.md'))).to.deep.equal(codes(await read('src/errors.ts')));
  });
});
