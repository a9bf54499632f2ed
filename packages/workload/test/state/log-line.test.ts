import { expect } from 'chai';
import fc from 'fast-check';
import { readStampedLine, readTimedDocument, stampLine } from '../../src/state/log-line.ts';

describe('log lines', () => {
  it('keep time and text when written and read', () => {
    fc.assert(
      fc.property(
        fc.string(),
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date('9999-01-01') }),
        (text, time) => {
          expect(readStampedLine(stampLine(text, time))).to.deep.equal({ time, text });
        },
      ),
    );
  });

  it('without a time are read with time undefined', () => {
    for (const text of [
      '',
      'words',
      '[portolan: 3 lines are missing here: full]',
      '2026-11-22T12:00:00.000Z words',
    ]) {
      expect(readStampedLine(text)).to.deep.equal({ time: undefined, text });
    }
    for (const text of ['', 'words', '{"host":"a"}', '{"time":"soon"}']) {
      expect(readTimedDocument(text)).to.deep.equal({ time: undefined, text });
    }
  });

  it('as JSON documents get their time from the member `time`', () => {
    const text = '{"level":"info","time":"2026-11-22T12:00:00.000Z","msg":"ready"}';
    expect(readTimedDocument(text)).to.deep.equal({ time: new Date('2026-11-22T12:00:00.000Z'), text });
  });
});
