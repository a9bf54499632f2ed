import type * as openid from 'openid-client';
import { reasonIn } from '@portolan/outbound';
import { oauthErrorOf } from '../login/code-flow.ts';
import { loadOpenid } from '../registration/oauth-client.ts';
import { isTransient, isUnanswered } from './transient-error.ts';

export type Revocation =
  | { readonly is: 'done' }
  | { readonly is: 'not-offered' }
  | { readonly is: 'refused'; readonly why: string }
  | { readonly is: 'unreachable'; readonly why: string };

/** Revokes a token (RFC 7009). Never rejects: a token that stays valid expires by itself. */
export async function revokeToken(configuration: openid.Configuration, token: string): Promise<Revocation> {
  if (configuration.serverMetadata().revocation_endpoint === undefined) return { is: 'not-offered' };
  const { tokenRevocation } = await loadOpenid();
  try {
    await tokenRevocation(configuration, token);
    return { is: 'done' };
  } catch (error) {
    const code = oauthErrorOf(error);
    const status = error instanceof Error && 'status' in error ? error.status : undefined;
    const isAway = isUnanswered(error) || isTransient(code, status);
    return { is: isAway ? 'unreachable' : 'refused', why: code ?? reasonIn(error) };
  }
}
