import { createRecordingLogger, FakeClock } from '@portolan/plugin-testing';
import { expect } from 'chai';
import { databaseFull, databaseUnavailable } from '../src/store/store-errors.ts';
import { WriteHealth } from '../src/store/write-health.ts';

describe('WriteHealth', () => {
  const full = databaseFull('registry.db', 'sqlite', new Error('disk is full'));
  let clock: FakeClock;
  let logger: ReturnType<typeof createRecordingLogger>;
  let health: WriteHealth;
  let tries: number;
  let failure: Error | undefined;

  beforeEach(() => {
    [clock, logger, tries, failure] = [new FakeClock(), createRecordingLogger(), 0, undefined];
    const tryWrite = async (): Promise<void> => {
      tries += 1;
      await Promise.resolve();
      if (failure !== undefined) throw failure;
    };
    health = new WriteHealth({ tryWrite, logger, nowMs: clock.nowMs });
  });
  const messages = () => logger.lines.map(({ level, message }) => [level, message]);

  it('reports no fault, and writes nothing, while nothing has failed', async () => {
    health.note(databaseUnavailable('registry.db', new Error('gone')));
    expect([await health.findFault(), tries, messages()]).to.deep.equal([undefined, 0, []]);
  });

  it('reports a full disk for 30 s, retries, and logs each change once', async () => {
    health.note(full);
    health.note(full);
    clock.advance(29_999);
    expect([await health.findFault(), tries]).to.deep.equal([full, 0]);
    clock.advance(1);
    failure = new Error('still full');
    expect([await health.findFault(), tries]).to.deep.equal([full, 1]);
    expect([await health.findFault(), tries]).to.deep.equal([full, 1]);
    clock.advance(5000);
    failure = undefined;
    expect([await health.findFault(), tries]).to.deep.equal([undefined, 2]);
    expect(messages()).to.deep.equal([
      ['error', 'the database rejects writes'],
      ['info', 'the database accepts writes again'],
    ]);
  });
});
