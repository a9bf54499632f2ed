import type { ProxyAuditConfig } from '../../src/index.ts';

/** What a block of settings without any member says. */
export const DEFAULTS: ProxyAuditConfig = {
  enabled: true,
  includeRequestData: false,
  includeResponseData: false,
  detectApplicationErrors: true,
  maxDataSize: 1024,
  maxDelegationDepth: 10,
  maxFileSize: 0,
  failClosed: false,
};
