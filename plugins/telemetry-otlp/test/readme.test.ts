import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderFieldTable } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { otlpConfig, proxyTelemetryConfig } from '../src/index.ts';

describe('README.md', () => {
  it('lists the configuration fields', async () => {
    const text = await readFile(join(import.meta.dirname, '../README.md'), 'utf8');
    expect(text).to.include(`\n${renderFieldTable(otlpConfig)}\n\n`);
    expect(text).to.include(`\n${renderFieldTable(proxyTelemetryConfig)}\n\n`);
  });
});
