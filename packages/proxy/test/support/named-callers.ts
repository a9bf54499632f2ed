import type { AuthProvider } from '@portolan/plugin-api';

/** Auth provider that accepts any caller with `Authorization: Bearer SUBJECT@ISSUER`. */
export const namedCallers: AuthProvider = {
  verify: (_ctx, next) => next(),
  identify: (ctx) => {
    const [subject = '', iss = ''] = ctx.get('Authorization').replace('Bearer ', '').split('@');
    return subject === '' ? undefined : { subject, claims: { iss, sub: subject } };
  },
};

/** Returns the headers of a caller. */
export function as(who: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${who}` };
}
