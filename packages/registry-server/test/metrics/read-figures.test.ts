import { createRecordingLogger, FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { createFigureReader } from '../../src/metrics/read-figures.ts';

describe('createFigureReader', () => {
  it('returns nothing when the query hangs', async () => {
    const logger = createRecordingLogger();
    const { nowMs } = new FakeClock();
    const read = createFigureReader({ logger, nowMs, readFigures: () => new Promise(() => undefined) }, 20);
    expect(await read()).to.deep.equal([]);
    expect(logger.lines.map(({ message }) => message)).to.deep.equal(['cannot count entries']);
  });

  it('returns nothing without a query', async () => {
    const logger = createRecordingLogger();
    expect(await createFigureReader({ logger })()).to.deep.equal([]);
  });
});
