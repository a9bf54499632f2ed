import { expect } from 'chai';
import { AUDIT_EVENT_TYPES, eventTypeOf } from '../../../plugins/middleware-audit/src/audit-events.ts';
import { internalRoutes, publicRoutes } from '../../../packages/registry-server/src/routes.ts';

/** SAFETY: the steps of routes are closures, which are made without a look at what they will work with but for this. */
const PARTS = {
  config: { adminApi: true, cors: { allowedOrigins: [] } },
  version: { version: '' },
} as unknown as Parameters<typeof publicRoutes>[0];

/** What audit calls a request that no endpoint took. */
const WITHOUT_ROUTE = [
  { status: 401, event: undefined, method: 'GET' },
  { status: 404, event: undefined, method: 'GET' },
  { status: 204, event: undefined, method: 'OPTIONS' },
];

describe('AUDIT_EVENTS', () => {
  it('has the events of all endpoints and of unmatched requests, and no others', () => {
    const ofRoutes = publicRoutes(PARTS).flatMap(({ event, eventWhenCreated, eventWhenTried }) => [
      event,
      ...(eventWhenCreated === undefined ? [] : [eventWhenCreated]),
      ...(eventWhenTried === undefined ? [] : [eventWhenTried]),
    ]);
    // SAFETY: nothing else of a record is asked for its type.
    const others = WITHOUT_ROUTE.map((record) => eventTypeOf(record as Parameters<typeof eventTypeOf>[0]));
    expect([...new Set([...ofRoutes, ...others])]).to.have.members([...AUDIT_EVENT_TYPES]);
    expect(others.filter((type) => ofRoutes.includes(type))).to.deep.equal([]);
  });

  it('has the events of the internal listener', () => {
    expect(AUDIT_EVENT_TYPES).to.include.members(internalRoutes(PARTS).map(({ event }) => event));
  });
});
