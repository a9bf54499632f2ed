import type { AuthProvider } from '@portolan/plugin-api';

/** Takes everybody at their word: `Authorization: Bearer SUBJECT@ISSUER`. */
export const namedCallers: AuthProvider = {
  verify: (_ctx, next) => next(),
  identify: (ctx) => {
    const [subject = '', iss = ''] = ctx.get('Authorization').replace('Bearer ', '').split('@');
    return subject === '' ? undefined : { subject, claims: { iss, sub: subject } };
  },
};

/** The header of one of them. */
export function as(who: string): Readonly<Record<string, string>> {
  return { Authorization: `Bearer ${who}` };
}
