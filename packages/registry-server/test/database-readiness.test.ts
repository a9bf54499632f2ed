import { createRecordingLogger } from '@portolan/plugin-testing';
import { PortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { databaseReadiness } from '../src/host/database-readiness.ts';

const fault = (code: string, publicMessage?: string): PortolanError =>
  new PortolanError(code, 'unavailable', 'It fails.', {
    hint: 'Look.',
    ...(publicMessage === undefined ? {} : { publicMessage }),
  });

describe('databaseReadiness', () => {
  const logger = createRecordingLogger();
  const reader = { catalog: () => Promise.resolve({} as never) };
  const healthy = { findFileFault: () => undefined, findWriteFault: () => Promise.resolve(undefined) };

  it('reports nothing while the database accepts reads and writes', async () => {
    expect(await databaseReadiness(reader, healthy, logger)).to.deep.equal({ problems: [], warnings: [] });
  });

  for (const [code, problem] of [
    ['ERR_DATABASE_REPLACED', 'The database file was removed or replaced during use.'],
    ['ERR_DATABASE_CORRUPT', 'The database file is damaged.'],
  ] as const) {
    it(`reports a problem for ${code}`, async () => {
      const store = { ...healthy, findFileFault: () => fault(code) };
      const expected = { problems: [problem], warnings: [] };
      expect(await databaseReadiness(reader, store, logger)).to.deep.equal(expected);
    });
  }

  it('reports a problem when the database does not respond', async () => {
    const away = { catalog: () => Promise.reject(new Error('gone')) };
    const expected = { problems: ['The database does not respond.'], warnings: [] };
    expect(await databaseReadiness(away, healthy, logger)).to.deep.equal(expected);
  });

  it('reports a warning when the database accepts reads only', async () => {
    const store = {
      ...healthy,
      findWriteFault: () => Promise.resolve(fault('ERR_DATABASE_FULL', 'The disk is full.')),
    };
    const expected = { problems: [], warnings: ['The disk is full.'] };
    expect(await databaseReadiness(reader, store, logger)).to.deep.equal(expected);
  });
});
