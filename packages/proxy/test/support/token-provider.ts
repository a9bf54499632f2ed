import type { AuthProvider, Identity, ProtectedResource } from '@portolan/plugin-api';

/** Returns the error that an auth provider of bearer tokens throws. */
export function refusal(status: number, header: string, oauth?: object): Error {
  const error = new Error('refused for a reason');
  return Object.assign(error, { status, expose: true, headers: { 'WWW-Authenticate': header }, oauth });
}

/** Returns an auth provider that accepts the tokens of a table and refuses all others. */
export function tokenProvider(
  tokens: Readonly<Record<string, Identity>>,
  protectedResource?: ProtectedResource,
): AuthProvider {
  const of = (header: string): Identity | undefined => tokens[header.replace('Bearer ', '')];
  return {
    verify: (ctx, next) => {
      if (ctx.get('Authorization') === '')
        throw refusal(401, 'Bearer realm="r"', { error: 'invalid_request' });
      if (of(ctx.get('Authorization')) === undefined) {
        throw refusal(401, 'Bearer realm="r", error="invalid_token"', {
          error: 'invalid_token',
          error_description: 'token is expired',
        });
      }
      return next();
    },
    identify: (ctx) => of(ctx.get('Authorization')),
    ...(protectedResource === undefined ? {} : { protectedResource }),
  };
}
