import { expect } from 'chai';
import { readAccepted } from '../../src/streams/accepted-forms.ts';

describe('readAccepted', () => {
  const cases = [
    { header: 'application/json, text/event-stream', json: true, stream: true },
    { header: 'TEXT/Event-Stream;charset=utf-8', json: false, stream: true },
    { header: 'application/json', json: true, stream: false },
    { header: '*/*', json: true, stream: true },
    { header: 'application/*', json: true, stream: false },
    { header: 'application/json, text/event-stream;q=0', json: true, stream: false },
    { header: 'application/json;q=0.0, text/event-stream;q=0.1', json: false, stream: true },
    { header: 'text/html', json: false, stream: false },
    { header: 'application/jsonx', json: false, stream: false },
    { header: '', json: true, stream: false },
    { header: undefined, json: true, stream: false },
  ];
  for (const { header, ...expected } of cases) {
    it(`parses ${JSON.stringify(header)}`, () => {
      expect(readAccepted(header)).to.deep.equal(expected);
    });
  }
});
