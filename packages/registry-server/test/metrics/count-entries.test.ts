import { createRecordingLogger, FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { createEntryCounter } from '../../src/metrics/count-entries.ts';

describe('createEntryCounter', () => {
  it('does not wait for a count that never ends', async () => {
    const logger = createRecordingLogger();
    const { clock } = new FakeClock();
    const count = createEntryCounter({ logger, clock, countEntries: () => new Promise(() => undefined) }, 20);
    expect(await count()).to.deep.equal([]);
    expect(logger.lines.map(({ message }) => message)).to.deep.equal(['entries could not be counted']);
  });

  it('counts nothing when it is given nothing to count with', async () => {
    const logger = createRecordingLogger();
    expect(await createEntryCounter({ logger, clock: new FakeClock().clock })()).to.deep.equal([]);
  });
});
