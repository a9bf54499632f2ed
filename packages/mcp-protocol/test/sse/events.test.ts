import { isPortolanError } from '@portolan/plugin-api';
import { expect } from 'chai';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import fc from 'fast-check';
import { EventReader, type IncomingEvent } from '../../src/sse/event-reader.ts';
import { writeEmptyEvent, writeEvent } from '../../src/sse/write-event.ts';

const text = fc.string({
  unit: fc.constantFrom('a', ':', ' ', '\n', '\r', 'ü', '\u{2028}', '{', 'data: '),
  maxLength: 12,
});

describe('writeEvent', () => {
  it('writes a name, an id and a line of data', () => {
    expect(writeEvent({ data: '{"a":1}', id: 's1-2' })).to.equal(
      'event: message\nid: s1-2\ndata: {"a":1}\n\n',
    );
  });

  it('writes events that another parser reads as intended', () => {
    fc.assert(
      fc.property(text, (data) => {
        const events: EventSourceMessage[] = [];
        createParser({ onEvent: (event) => events.push(event) }).feed(writeEvent({ data, id: 's1-1' }));
        expect(events).to.deep.equal([
          { event: 'message', id: 's1-1', data: data.replaceAll(/\r\n|\r/g, '\n') },
        ]);
      }),
    );
  });

  it('writes an event with only an id', () => {
    const [event] = read([Buffer.from(writeEmptyEvent('s1-0'))]);
    expect(event).to.include({ id: 's1-0', data: '' });
  });
});

describe('EventReader', () => {
  const stream = fc.array(
    fc.oneof(
      fc
        .record({ event: fc.constantFrom('message', 'endpoint'), data: text })
        .map((event) => writeEvent(event)),
      fc.constantFrom(
        ': comment\n\n',
        'data:x\r\n\r\n',
        'data: y\rid: 4\r\r',
        '\n',
        'retry: 5\n\n',
        'data\n\n',
      ),
    ),
    { maxLength: 6 },
  );
  const cuts = fc.array(fc.nat(200), { maxLength: 8 });

  it('loses no byte, whatever the chunks', () => {
    fc.assert(
      fc.property(stream, cuts, (events, at) => {
        const bytes = Buffer.from(events.join(''));
        const reader = new EventReader(10_000);
        const out = cut(bytes, at).flatMap((chunk) => reader.push(chunk).map(({ raw }) => raw));
        expect(Buffer.concat([...out, reader.rest()]).equals(bytes)).to.equal(true);
      }),
    );
  });

  it('reads the same events as another parser', () => {
    fc.assert(
      fc.property(stream, cuts, (events, at) => {
        const bytes = Buffer.from(events.join(''));
        const theirs: EventSourceMessage[] = [];
        createParser({ onEvent: (event) => theirs.push(event) }).feed(bytes.toString());
        const ours = read(cut(bytes, at)).filter(({ data }) => data !== undefined);
        expect(ours.map(({ data, event }) => [event, data])).to.deep.equal(
          theirs.map(({ data, event }) => [event ?? 'message', data]),
        );
      }),
    );
  });

  it('ignores a byte order mark at the start', () => {
    expect(read([Buffer.from('\u{FEFF}event: endpoint\ndata: /m\n\n')])[0]).to.include({ event: 'endpoint' });
  });

  it('rejects an event above the size limit', () => {
    const reader = new EventReader(100);
    try {
      reader.push(Buffer.from(`data: ${'x'.repeat(101)}`));
    } catch (error) {
      expect(isPortolanError(error) && error.code).to.equal('ERR_ANSWER_TOO_LARGE');
      return;
    }
    expect.fail('nothing was thrown');
  });
});

function read(chunks: readonly Buffer[]): readonly IncomingEvent[] {
  const reader = new EventReader(10_000);
  return chunks.flatMap((chunk) => reader.push(chunk));
}

function cut(bytes: Buffer, at: readonly number[]): readonly Buffer[] {
  const places = [
    ...new Set([0, ...at.map((place) => Math.min(place, bytes.length)), bytes.length]),
  ].toSorted((left, right) => left - right);
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}
