import { listAuditEvents } from '../actions/list-audit-events.ts';
import { auditQuery } from '../parameters/audit-parameters.ts';
import type { Route } from '../request/route.ts';
import { adminRoutes } from './admin-routes.ts';
import { json, type RouteParts } from './route-parts.ts';

export function auditRoutes(parts: RouteParts): readonly Route[] {
  return adminRoutes(
    parts,
    'superAdmin',
    'audit',
    '/v1/audit/events',
  )({
    method: 'GET',
    name: 'listAuditEvents',
    event: 'audit.list',
    summary: 'List the last requests to this replica, from its memory.',
    query: auditQuery,
    response: json('One page, newest first.', 'AuditEventList'),
    refusals: [404],
    steps: [listAuditEvents(parts.recent)],
  });
}
