import { expect } from 'chai';
import { AUDIT_EVENT_TYPES, AUDIT_EVENTS, eventTypeOf, selectEvents } from '../src/audit-events.ts';
import { accessRecord } from './access-record.ts';

describe('eventTypeOf', () => {
  const cases = [
    {
      title: 'is what the host says',
      record: { event: 'server.list', status: 200 },
      expected: 'server.list',
    },
    {
      title: 'stays so for a refusal',
      record: { event: 'source.update', status: 403 },
      expected: 'source.update',
    },
    {
      title: 'is auth.unauthenticated for every 401',
      record: { event: 'server.list', status: 401 },
      expected: 'auth.unauthenticated',
    },
    {
      title: 'is auth.unauthenticated where no endpoint is behind the path',
      record: { event: undefined, status: 401 },
      expected: 'auth.unauthenticated',
    },
    {
      title: 'is request.unknown where nothing took the request',
      record: { event: undefined, status: 404 },
      expected: 'request.unknown',
    },
    {
      title: 'is request.preflight for OPTIONS that was answered',
      record: { event: undefined, status: 204, method: 'OPTIONS' },
      expected: 'request.preflight',
    },
    {
      title: 'is request.unknown for OPTIONS that was refused',
      record: { event: undefined, status: 404, method: 'OPTIONS' },
      expected: 'request.unknown',
    },
  ];
  for (const { title, record, expected } of cases) {
    it(title, () => {
      expect(eventTypeOf(accessRecord(record))).to.equal(expected);
    });
  }
});

describe('selectEvents', () => {
  const cases = [
    { title: 'takes everything', selection: {}, type: 'server.list', expected: true },
    { title: 'takes what is not in the table', selection: {}, type: 'server.invented', expected: true },
    { title: 'leaves out operation', selection: {}, type: 'operation', expected: false },
    { title: 'leaves out pre-flights', selection: {}, type: 'request.preflight', expected: false },
    {
      title: 'takes operation when it is named',
      selection: { eventTypes: ['operation'] },
      type: 'operation',
      expected: true,
    },
    {
      title: 'takes nothing else when something is named',
      selection: { eventTypes: ['operation'] },
      type: 'server.list',
      expected: false,
    },
    {
      title: 'leaves out what is excluded',
      selection: { excludeEventTypes: ['server.list'] },
      type: 'server.list',
      expected: false,
    },
    {
      title: 'still leaves out operation when something else is excluded',
      selection: { excludeEventTypes: ['server.list'] },
      type: 'operation',
      expected: false,
    },
    {
      title: 'lets the exclusion win',
      selection: { eventTypes: ['server.list', 'user.info'], excludeEventTypes: ['server.list'] },
      type: 'server.list',
      expected: false,
    },
    {
      title: 'takes nothing of an empty list',
      selection: { eventTypes: [] },
      type: 'user.info',
      expected: false,
    },
  ];
  for (const { title, selection, type, expected } of cases) {
    it(title, () => {
      expect(selectEvents(selection)(type)).to.equal(expected);
    });
  }

  it('selects exactly the named event types', () => {
    for (const named of AUDIT_EVENT_TYPES) {
      expect(AUDIT_EVENT_TYPES.filter(selectEvents({ eventTypes: [named] }))).to.deep.equal([named]);
    }
  });
});

describe('AUDIT_EVENTS', () => {
  it('lists events group by group', () => {
    const groups = Object.values(AUDIT_EVENTS).map(({ group }) => group);
    expect(groups.filter((group, index) => group !== groups[index - 1])).to.deep.equal([...new Set(groups)]);
  });
});
