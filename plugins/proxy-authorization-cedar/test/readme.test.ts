import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderFieldTable } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { cedarConfig, decisionPointConfig } from '../src/index.ts';

describe('README.md', () => {
  it('lists the configuration fields', async () => {
    const text = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
    expect(text).to.include(`\n${renderFieldTable(cedarConfig)}\n\n`);
    expect(text).to.include(`\n${renderFieldTable(decisionPointConfig)}\n\n`);
  });
});
