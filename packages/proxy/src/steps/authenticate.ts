import type { AuthProvider } from '@portolan/plugin-api';
import { endWithToken } from './end-with-token.ts';
import { metadataAddressOf, type OuterAddressOptions, outerAddressOf } from './outer-address.ts';
import { tellsWhere } from './resource-metadata.ts';
import { callerUnknown } from '../errors/request-errors.ts';
import type { Middleware, RequestContext } from '../request/request-state.ts';
import { principalOf } from '../sessions/principal-of.ts';

export interface AuthenticateOptions {
  readonly provider: AuthProvider;
  readonly callersProve: boolean;
  readonly address: OuterAddressOptions;
  readonly clock: () => Date;
}

/**
 * Session owner for the supervisor's requests. Principals of callers are JSON texts, so none can equal this
 * name.
 */
const OURSELVES = 'ourselves';

/**
 * Runs the auth provider. Its errors become the response. A provider that neither calls `next` nor throws has
 * rejected the credentials.
 */
export function authenticate(options: AuthenticateOptions): Middleware {
  const { provider, callersProve, address, clock } = options;
  const pointsTo = (ctx: RequestContext): string | undefined =>
    tellsWhere(provider) ? metadataAddressOf(outerAddressOf(ctx, address)) : undefined;
  return async (ctx, next) => {
    // SAFETY: providers accept any Koa state.
    const context = ctx as unknown as Parameters<AuthProvider['verify']>[0];
    const { state } = ctx;
    if (callersProve && state.ownRequest !== undefined) {
      state.owner = OURSELVES;
      await next();
      return;
    }
    state.challenging = { metadata: () => pointsTo(ctx) };
    let isGood = false;
    await provider.verify(context, async () => {
      isGood = true;
    });
    if (!isGood) throw callerUnknown();
    state.challenging = undefined;
    state.caller = provider.identify(context);
    if (callersProve) {
      state.owner = principalOf(state.caller);
      endWithToken(ctx, state.caller, clock);
    }
    await next();
  };
}
