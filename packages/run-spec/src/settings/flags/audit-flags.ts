import type { FlagRow } from '../flag-row.ts';

export const AUDIT_FLAGS = {
  enableAudit: {
    flag: 'enable-audit',
    is: 'truth',
    group: 'AUDIT',
    description: 'write a log line for every call; --audit-config does the same with its own settings',
    fallback: 'false',
    field: 'audit_config',
  },
  auditConfig: {
    flag: 'audit-config',
    is: 'text',
    group: 'AUDIT',
    description: 'file with the settings of the audit log: which calls, and where',
    helpValue: 'FILE',
    field: 'audit_config',
    names: 'files',
  },
} as const satisfies Readonly<Record<string, FlagRow>>;
