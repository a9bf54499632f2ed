import type { AuthProvider } from '@portolan/plugin-api';

/**
 * Auth provider that rejects every caller. Requests of the supervisor bypass it, because they have one-time keys.
 */
export const OWN_REQUESTS_ONLY: AuthProvider = {
  verify: () => {
    throw Object.assign(new Error('this workload serves no clients'), { status: 401 });
  },
  identify: () => undefined,
};
