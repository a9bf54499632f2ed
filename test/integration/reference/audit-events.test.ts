import { expect } from 'chai';
import { AUDIT_EVENT_TYPES, eventTypeOf } from '../../../plugins/middleware-audit/src/audit-events.ts';
import { internalRoutes, publicRoutes } from '../../../packages/registry-server/src/routes.ts';

/** SAFETY: routes are built from closures, which read no other dependency at that time. */
const PARTS = {
  config: { adminApi: true, cors: { allowedOrigins: [] } },
  version: { version: '' },
} as unknown as Parameters<typeof publicRoutes>[0];

/** Name in the audit log of a request that no route accepts. */
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
    // SAFETY: the code reads only the type of the record.
    const others = WITHOUT_ROUTE.map((record) => eventTypeOf(record as Parameters<typeof eventTypeOf>[0]));
    expect([...new Set([...ofRoutes, ...others])]).to.have.members([...AUDIT_EVENT_TYPES]);
    expect(others.filter((type) => ofRoutes.includes(type))).to.deep.equal([]);
  });

  it('has the events of the internal listener', () => {
    expect(AUDIT_EVENT_TYPES).to.include.members(internalRoutes(PARTS).map(({ event }) => event));
  });
});
