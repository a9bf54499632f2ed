import { isPortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { createParser } from 'eventsource-parser';
import fc from 'fast-check';
import { limitMs, trialsFor } from '../../../../test/support/soak.ts';
import { EventReader, type IncomingEvent } from '../../src/sse/event-reader.ts';
import { mutated } from '../../../../test/support/fuzz/mutated.ts';

const PIECES = [
  '\n',
  '\r',
  '\r\n',
  '\n\n',
  ':',
  ' ',
  'data:',
  'data: ',
  'data',
  'event: endpoint',
  'event:',
  'id: 1',
  'id',
  'retry: 5',
  '\u{FEFF}',
  '\u0000',
  '\u2028',
  ': comment',
  'data:{"jsonrpc":"2.0","id":1,"result":{}}',
  'x',
];

const stream = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: fc.constantFrom(...PIECES).map((piece) => Buffer.from(piece)) },
      { weight: 1, arbitrary: mutated },
      { weight: 1, arbitrary: fc.uint8Array({ maxLength: 4 }).map((bytes) => Buffer.from(bytes)) },
    ),
    { maxLength: 40 },
  )
  .map((pieces) => Buffer.concat(pieces));

function read(
  bytes: Buffer,
  cuts: readonly number[],
  most: number,
): { events: IncomingEvent[]; rest: Buffer } {
  const reader = new EventReader(most);
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length];
  const events = places.flatMap((from, at) => [...reader.push(bytes.subarray(from, places[at + 1] ?? from))]);
  return { events, rest: reader.rest() };
}

describe('EventReader with random event streams', function () {
  this.timeout(limitMs(30_000));

  it('splits the stream without losing a byte, whatever the chunks', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 8 }), (bytes, cuts) => {
        const { events, rest } = read(bytes, cuts, 1 << 20);
        expect(Buffer.concat([...events.map(({ raw }) => raw), rest])).to.deep.equal(bytes);
        const whole = read(bytes, [], 1 << 20);
        const meant = (each: readonly IncomingEvent[]): readonly object[] =>
          each.map(({ event, data, id }) => ({ event, data, id }));
        expect(meant(events)).to.deep.equal(meant(whole.events));
      }),
      trialsFor({ short: 2000, minutes: 2 }),
    );
  });

  it('finds all data that another parser finds', () => {
    fc.assert(
      fc.property(stream, (bytes) => {
        const told: string[] = [];
        createParser({ onEvent: ({ data }) => told.push(data) }).feed(bytes.toString('utf8'));
        const seen = read(bytes, [], 1 << 20).events.flatMap(({ data }) =>
          data === undefined ? [] : [data],
        );
        for (const data of told) expect(seen, JSON.stringify(bytes.toString('utf8'))).to.include(data);
      }),
      trialsFor({ short: 2000, minutes: 2 }),
    );
  });

  it('rejects an event above the size limit, and buffers no more than that', () => {
    fc.assert(
      fc.property(stream, fc.integer({ min: 1, max: 64 }), (bytes, most) => {
        try {
          for (const { raw } of read(bytes, [], most).events) expect(raw.length).to.be.at.most(most);
        } catch (error) {
          expect(isPortolanError(error) && error.code, String(error)).to.equal('ERR_ANSWER_TOO_LARGE');
        }
      }),
      trialsFor({ short: 1000, minutes: 1 }),
    );
  });
});
