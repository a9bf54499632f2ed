import type { FlagRow } from '../flag-row.ts';

export const AUTHZ_FLAGS = {
  authzConfig: {
    flag: 'authz-config',
    is: 'text',
    group: 'TOOLS AND POLICY',
    description: 'JSON or YAML file with Cedar policies that decide what callers may do',
    helpValue: 'FILE',
    field: 'authz_config',
    names: 'files',
  },
} as const satisfies Readonly<Record<string, FlagRow>>;
