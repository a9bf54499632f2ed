import type { AccessRecord } from '@portolan/plugin-api';
import { expect } from 'chai';
import { RecentEvents } from '../../src/responses/recent-events.ts';

const START = new Date('2026-03-01T12:00:00.000Z');

function record(over: Partial<AccessRecord> = {}): AccessRecord {
  return {
    requestId: 'r-1',
    at: START,
    method: 'GET',
    route: '/v1/sources/{sourceName}',
    path: '/v1/sources/platform',
    status: 200,
    allowed: true,
    because: 'claims',
    event: 'source.read',
    target: { resourceType: 'source', resourceName: 'platform' },
    subject: 'u-1',
    user: 'Ada',
    provider: 'corporate',
    roles: ['manageSources'],
    registry: undefined,
    remoteAddress: '10.1.4.9:52110',
    forwardedFor: '10.9.9.9',
    userAgent: 'curl/8',
    durationMs: 1.23456,
    responseBytes: 12,
    requestBody: Buffer.from('{"secret":"s3cret"}'),
    ...over,
  };
}

function remembering(records: readonly Partial<AccessRecord>[], most?: number): RecentEvents {
  const recent = new RecentEvents(() => START, most);
  for (const one of records) recent.add(record(one));
  return recent;
}

describe('RecentEvents', () => {
  it('stores caller, request and outcome, without body and headers', () => {
    const [event] = remembering([{}]).page({ limit: 10 }).events;
    expect(event).to.deep.equal({
      id: 1,
      at: '2026-03-01T12:00:00.000Z',
      type: 'source.read',
      outcome: 'success',
      method: 'GET',
      path: '/v1/sources/platform',
      status: 200,
      because: 'claims',
      subject: 'u-1',
      user: 'Ada',
      roles: ['manageSources'],
      provider: 'corporate',
      remoteAddress: '10.1.4.9:52110',
      requestId: 'r-1',
      durationMs: 1.235,
      responseBytes: 12,
    });
  });

  it('evicts the oldest event, and counts evictions', () => {
    const recent = remembering(
      Array.from({ length: 7 }, (_, at) => ({ path: `/${at + 1}` })),
      3,
    );
    const { events, ...page } = recent.page({ limit: 10 });
    expect(events.map(({ id, path }) => [id, path])).to.deep.equal([
      [7, '/7'],
      [6, '/6'],
      [5, '/5'],
    ]);
    expect(page).to.deep.equal({ next: undefined, kept: 3, forgotten: 4 });
  });

  it('returns pages without gaps and repetitions for any limit', () => {
    for (const limit of [1, 2, 3, 5, 8]) {
      const recent = remembering(
        Array.from({ length: 9 }, () => ({})),
        5,
      );
      const ids: number[] = [];
      for (let before: number | undefined; ; ) {
        const { events, next } = recent.page({ limit, before });
        ids.push(...events.map(({ id }) => id));
        if (next === undefined) break;
        before = next;
      }
      expect(ids, `limit ${limit}`).to.deep.equal([9, 8, 7, 6, 5]);
    }
  });

  it('returns nothing before the first event', () => {
    const none = { events: [], next: undefined, kept: 0, forgotten: 0 };
    expect(remembering([]).page({ limit: 5 })).to.deep.equal(none);
    expect(remembering([{}]).page({ limit: 5, before: 1 }).events).to.deep.equal([]);
  });

  const filters = [
    { title: 'type', query: { type: 'entry.publish' }, ids: [3] },
    { title: 'outcome', query: { outcome: 'denied' }, ids: [2] },
    { title: 'subject', query: { subject: 'u-2' }, ids: [3] },
    { title: 'display name', query: { subject: 'Ada' }, ids: [2, 1] },
    { title: 'request ID', query: { requestId: 'r-3' }, ids: [3] },
    { title: 'part of the path in any letter case', query: { path: 'ENTRIES' }, ids: [3] },
    { title: 'several filters', query: { subject: 'Ada', outcome: 'success' }, ids: [1] },
  ] as const;
  for (const { title, query, ids } of filters) {
    it(`filters by ${title}`, () => {
      const recent = remembering([
        {},
        { status: 403 },
        {
          requestId: 'r-3',
          event: 'entry.publish',
          path: '/v1/entries',
          method: 'POST',
          status: 409,
          subject: 'u-2',
          user: 'Bo',
        },
      ]);
      expect(recent.page({ limit: 10, ...query }).events.map(({ id }) => id)).to.deep.equal(ids);
    });
  }

  const outcomes = [
    [200, 'success'],
    [204, 'success'],
    [304, 'success'],
    [401, 'denied'],
    [403, 'denied'],
    [404, 'failure'],
    [499, 'failure'],
    [303, 'success'],
    [500, 'error'],
  ] as const;
  for (const [status, outcome] of outcomes) {
    it(`maps ${status} to ${outcome}`, () => {
      expect(remembering([{ status }]).page({ limit: 1 }).events[0]).to.include({ outcome, status });
    });
  }

  it('omits probes and pre-flights, and stores requests that no route matched', () => {
    const recent = remembering([
      { event: 'operation' },
      { event: undefined, method: 'OPTIONS', status: 204 },
      { event: undefined, status: 404 },
      { event: undefined, method: 'OPTIONS', status: 404 },
    ]);
    expect(recent.page({ limit: 9 }).events.map(({ type }) => type)).to.deep.equal([
      'request.unknown',
      'request.unknown',
    ]);
  });

  it('truncates values chosen by the client, and stores no query and no token', () => {
    const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJ4In0.c2ln';
    const [long, query, secret] = remembering([
      { path: `/x/${token}/y` },
      { path: '/x?code=abc#d' },
      {
        path: `/${'ä'.repeat(9000)}`,
        subject: 's'.repeat(9000),
        user: 'u'.repeat(9000),
        method: 'M'.repeat(999),
      },
    ]).page({ limit: 9 }).events;
    expect(secret?.path).to.equal('/x/[secret]/y');
    expect(query?.path).to.equal('/x');
    expect(long?.path).to.have.length(256);
    expect(long?.subject).to.have.length(128);
    expect(long?.user).to.have.length(128);
    expect(long?.method).to.have.length(128);
  });
});
