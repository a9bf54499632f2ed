import type * as openid from 'openid-client';
import { isPortolanError } from '@portolan/plugin-api';
import type { AuthorizationServer } from '../discovery/find-authorization-server.ts';
import { loginRefused, loginTimedOut } from '../errors.ts';
import { loadOpenid } from '../registration/oauth-client.ts';
import { findAddressFault } from '../web/find-address-fault.ts';
import { type TokenSet, tokenSetOf } from '../tokens/token-set.ts';
import { refusalOf } from './code-flow.ts';

/** A login on a second device that has begun (RFC 8628). */
export interface DeviceFlow {
  /** Where the person goes. */
  readonly url: string;
  /** What the person types there. */
  readonly code: string;
  /** With the code in it; undefined where the server has none that can be used. */
  readonly wholeUrl: string | undefined;
  readonly expiresInSeconds: number;
  /** Waits until the person has decided, as long as the code lives. Throws ERR_LOGIN_REFUSED, ERR_LOGIN_TIMEOUT. */
  finish(now: () => Date, signal: AbortSignal): Promise<TokenSet>;
}

/** Whether a server lets people log in on another device. */
export function offersDeviceFlow({ metadata }: AuthorizationServer): boolean {
  return metadata.device_authorization_endpoint !== undefined;
}

/** Begins a login on another device. Throws ERR_LOGIN_REFUSED. */
export async function beginDeviceFlow(
  configuration: openid.Configuration,
  { scopes, resource }: { readonly scopes: readonly string[] | undefined; readonly resource: string },
): Promise<DeviceFlow> {
  const { initiateDeviceAuthorization, pollDeviceAuthorizationGrant } = await loadOpenid();
  const scope = scopes === undefined ? {} : { scope: scopes.join(' ') };
  let begun: openid.DeviceAuthorizationResponse;
  try {
    begun = await initiateDeviceAuthorization(configuration, { ...scope, resource });
  } catch (error) {
    throw refusalOf(error);
  }
  const {
    verification_uri: url,
    verification_uri_complete: whole,
    user_code: code,
    expires_in: seconds,
  } = begun;
  const fault = findAddressFault(url);
  if (fault !== undefined) throw loginRefused(`the page for another device ${fault}`, undefined);
  if (!/^[ -~]{1,64}$/.test(code))
    throw loginRefused('the server gives a code that nobody can type', undefined);
  return {
    url,
    code,
    wholeUrl: whole !== undefined && findAddressFault(whole) === undefined ? whole : undefined,
    expiresInSeconds: seconds,
    finish: async (now, signal) => {
      const life = AbortSignal.timeout(Math.min(seconds, 3600) * 1000);
      try {
        const ends = AbortSignal.any([signal, life]);
        const answer = await pollDeviceAuthorizationGrant(
          configuration,
          begun,
          { resource },
          { signal: ends },
        );
        return tokenSetOf(answer, now());
      } catch (error) {
        signal.throwIfAborted();
        if (life.aborted) throw loginTimedOut(seconds);
        throw isPortolanError(error) ? error : refusalOf(error);
      }
    },
  };
}
