import type { FlagRow } from '../flag-row.ts';

export const RATE_LIMIT_FLAGS = {
  rateLimitConfig: {
    flag: 'rate-limit-config',
    is: 'text',
    group: 'TOOLS AND POLICY',
    description: 'file with rate limits for callers and tools',
    helpValue: 'FILE',
    field: 'rate_limit_config',
    names: 'files',
  },
} as const satisfies Readonly<Record<string, FlagRow>>;
