import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { renderFieldTable } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { formatAuditLine } from '../src/audit-line.ts';
import { auditConfig, DRIFT_EVENTS, PROXY_EVENTS, proxyAuditConfig } from '../src/index.ts';
import { accessRecord } from './access-record.ts';
import { renderEvents } from './render-events.ts';

function read(file: string): Promise<string> {
  return readFile(join(import.meta.dirname, '..', file), 'utf8');
}

async function codesIn(file: string): Promise<readonly string[]> {
  return [...new Set((await read(file)).match(/ERR_AUDIT_[A-Z_]+/g))].toSorted();
}

describe('README.md', () => {
  it('lists the configuration fields', async () => {
    expect(await read('README.md')).to.include(`\n${renderFieldTable(auditConfig)}\n\n`);
    expect(await read('README.md')).to.include(`\n${renderFieldTable(proxyAuditConfig)}\n\n`);
  });

  it('lists exactly the existing error codes', async () => {
    expect(await codesIn('README.md')).to.deep.equal(await codesIn('src/errors.ts'));
  });
});

describe('docs/reference/audit-events.md', () => {
  it('lists every event type', async () => {
    expect(await read('../../docs/reference/audit-events.md')).to.include(`\n${renderEvents()}\n`);
  });

  it('lists every event type of a workload in its guide', async () => {
    const rows = Object.entries({ ...PROXY_EVENTS, ...DRIFT_EVENTS }).map(
      ([type, about]) => `| \`${type}\` | ${about} |`,
    );
    expect(await read('../../docs/guides/protect/audit-log.md')).to.include(`\n${rows.join('\n')}\n`);
  });

  it('contains an example line in the real format', async () => {
    const options = { includeRequestData: false, includeClaimValues: false, maxDataSize: 1024 };
    const id = '0d7cb2a4-5a0e-4c3b-9f4e-0f6d1c8b7a21';
    const line = formatAuditLine({ record: accessRecord(), type: 'entry.publish', id }, options);
    expect(await read('../../docs/guides/registry/audit-siem.md')).to.include(`\n${line}\n`);
  });

  it('explains every field of the example line', async () => {
    const page = await read('../../docs/reference/audit-events.md');
    const options = { includeRequestData: true, includeClaimValues: false, maxDataSize: 1024 };
    const target = {
      resourceType: 'entry',
      resourceName: 'x',
      registryName: 'x',
      namespace: 'x',
      entryType: 'x',
      version: 'x',
    } as const;
    const record = accessRecord({
      roles: ['superAdmin'],
      target,
      forwardedFor: 'x',
      requestBody: Buffer.from('1'),
    });
    const line: unknown = JSON.parse(formatAuditLine({ record, type: 'entry.publish', id: 'x' }, options));
    const missing = placesIn(line).filter((place) => !page.includes(`\`${place}\``));
    expect(missing).to.deep.equal([]);
  });
});

/** `a.b` for each value that is no map. */
function placesIn(value: unknown, prefix = ''): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [prefix];
  return Object.entries(value).flatMap(([key, inner]) =>
    placesIn(inner, prefix === '' ? key : `${prefix}.${key}`),
  );
}
