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
  it('shows the fields as they are', async () => {
    expect(findConfigBlockProblems(oauthConfig)).to.deep.equal([]);
    expect(await read('README.md')).to.include(`\n${renderFieldTable(oauthConfig)}\n\n`);
  });

  it('names every error code, and none that does not exist', async () => {
    expect(await codesIn('README.md')).to.deep.equal(await codesIn('src/errors.ts'));
  });

  it('names every reason for a refusal', async () => {
    expect((await read('README.md')).replaceAll(/\s+/g, ' ')).to.include(`: ${REFUSAL_REASONS.join(', ')};`);
  });
});
