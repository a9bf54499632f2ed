import { checkSessionStore, checkStorePassword } from '../check-session-store.ts';
import type { FlagRow } from '../flag-row.ts';

export const SESSION_STORE_FLAGS = {
  sessionStore: {
    flag: 'session-store',
    is: 'text',
    group: 'TRANSPORT AND PROXY',
    description:
      'where several proxies keep the sessions of one streamable-http server: memory, or redis://HOST:PORT/DB (rediss:// over TLS)',
    fallback: 'memory, of each proxy alone',
    helpValue: 'ADDRESS',
    field: 'session_store',
    setting: { default: '', check: checkSessionStore },
  },
  sessionStorePassword: {
    flag: 'session-store-password',
    is: 'text',
    group: 'TRANSPORT AND PROXY',
    description: 'secret of the secret store that holds the password of the session store',
    helpValue: 'SECRET',
    field: 'session_store_password',
    setting: { default: '', check: checkStorePassword },
  },
} as const satisfies Readonly<Record<string, FlagRow>>;
