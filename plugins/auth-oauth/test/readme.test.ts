import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findConfigBlockProblems, renderFieldTable } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { oauthConfig } from '../src/index.ts';
import { REFUSAL_REASONS } from '../src/tokens/verdict.ts';

const read = (file: string): Promise<string> => readFile(join(import.meta.dirname, '..', file), 'utf8');

async function codesIn(file: string): Promise<readonly string[]> {
  return [...new Set((await read(file)).match(/ERR_[A-Z_]+/g))].toSorted();
}

describe('README.md', () => {
  it('lists the configuration fields', async () => {
    expect(findConfigBlockProblems(oauthConfig)).to.deep.equal([]);
    expect(await read('README.md')).to.include(`\n${renderFieldTable(oauthConfig)}\n\n`);
  });

  it('lists exactly the existing error codes', async () => {
    expect(await codesIn('README.md')).to.deep.equal(await codesIn('src/errors.ts'));
  });

  it('lists every refusal reason', async () => {
    expect((await read('README.md')).replaceAll(/\s+/g, ' ')).to.include(`: ${REFUSAL_REASONS.join(', ')};`);
  });
});
