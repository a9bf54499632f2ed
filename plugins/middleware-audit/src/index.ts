import type { Plugin } from '@portolan/plugin-api';
import { auditMiddleware } from './audit-middleware.ts';

export { auditConfig } from './audit-config.ts';
export type { AuditConfig } from './audit-config.ts';
export { AUDIT_EVENT_TYPES, AUDIT_EVENTS, LOST_EVENT } from './audit-events.ts';
export type { AuditEvent, AuditEventType } from './audit-events.ts';
export { auditMiddleware } from './audit-middleware.ts';

export default {
  name: '@portolan/middleware-audit',
  apiVersion: 1,
  contributes: { middleware: [auditMiddleware] },
} satisfies Plugin;
