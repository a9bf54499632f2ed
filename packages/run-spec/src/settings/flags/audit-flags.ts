import type { FlagRow } from '../flag-row.ts';

/** Flags for the audit log of calls. */
export const AUDIT_FLAGS = {
  enableAudit: {
    flag: 'enable-audit',
    is: 'truth',
    group: 'AUDIT',
    description: 'write a line about every call; --audit-config does so too, with settings of its own',
    fallback: 'false',
    field: 'audit_config',
  },
  auditConfig: {
    flag: 'audit-config',
    is: 'text',
    group: 'AUDIT',
    description: 'file that says what is written about calls, and where',
    helpValue: 'FILE',
    field: 'audit_config',
    names: 'files',
  },
} as const satisfies Readonly<Record<string, FlagRow>>;
