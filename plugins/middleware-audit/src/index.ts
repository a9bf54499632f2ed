import type { Plugin } from '@portolan/plugin-api';
import { auditMiddleware } from './audit-middleware.ts';
import { proxyAudit } from './proxy/proxy-audit.ts';

export { auditConfig } from './audit-config.ts';
export type { AuditConfig } from './audit-config.ts';
export { AUDIT_EVENT_TYPES, AUDIT_EVENTS, LOST_EVENT } from './audit-events.ts';
export type { AuditEvent, AuditEventType } from './audit-events.ts';
export { auditMiddleware } from './audit-middleware.ts';
export { proxyAudit } from './proxy/proxy-audit.ts';
export { proxyAuditConfig } from './proxy/proxy-audit-config.ts';
export type { ProxyAuditConfig } from './proxy/proxy-audit-config.ts';
export { FOREIGN_EVENTS, DRIFT_EVENTS, PROXY_EVENTS } from './proxy/proxy-events.ts';

export default {
  name: '@portolan/middleware-audit',
  apiVersion: 2,
  contributes: { middleware: [auditMiddleware], proxyMiddleware: [proxyAudit] },
} satisfies Plugin;
