import type * as openid from 'openid-client';
import { isPortolanError } from '@portolan/plugin-api';
import type { AuthorizationServer } from '../discovery/find-authorization-server.ts';
import { loginRefused, loginTimedOut } from '../errors.ts';
import { loadOpenid } from '../registration/oauth-client.ts';
import type { OauthWeb } from '../web/oauth-web.ts';
import { type TokenSet, tokenSetOf } from '../tokens/token-set.ts';
import { type CodeFlowRequest, oauthErrorOf, refusalOf } from './code-flow.ts';

/** Started login on another device (RFC 8628). */
export interface DeviceFlow {
  readonly url: string;
  readonly code: string;
  readonly wholeUrl: string | undefined;
  readonly expiresInSeconds: number;
  /**
   * Waits for the user's decision during the lifetime of the code. Throws ERR_LOGIN_REFUSED and
   * ERR_LOGIN_TIMEOUT.
   */
  finish(now: () => Date, signal: AbortSignal): Promise<TokenSet>;
}

export type DeviceFlowRequest = Pick<CodeFlowRequest, 'scopes' | 'scopeParamName' | 'extra'> & {
  readonly resource: string | undefined;
};

export function offersDeviceFlow({ metadata }: AuthorizationServer): boolean {
  return metadata.device_authorization_endpoint !== undefined;
}

/** Maximum lifetime of a code in seconds, because Node.js timers have a limit. */
const MAX_SECONDS = 24 * 3600;

/** Starts a login on another device (RFC 8628). Throws ERR_LOGIN_REFUSED. */
export async function beginDeviceFlow(
  configuration: openid.Configuration,
  { scopes, scopeParamName, resource, extra }: DeviceFlowRequest,
  web: Pick<OauthWeb, 'findPageFault'>,
): Promise<DeviceFlow> {
  const { initiateDeviceAuthorization } = await loadOpenid();
  const scope = scopes === undefined ? {} : { [scopeParamName]: scopes.join(' ') };
  let deviceAuthorizationResponse: openid.DeviceAuthorizationResponse;
  try {
    const target = resource === undefined ? {} : { resource };
    deviceAuthorizationResponse = await initiateDeviceAuthorization(configuration, {
      ...extra,
      ...scope,
      ...target,
    });
  } catch (error) {
    throw refusalOf(error);
  }
  const {
    verification_uri: url,
    verification_uri_complete: whole,
    user_code: code,
    expires_in: seconds,
  } = deviceAuthorizationResponse;
  const fault = web.findPageFault(url);
  if (fault !== undefined) throw loginRefused(`the page for another device ${fault}`, undefined);
  if (!/^[ -~]{1,64}$/.test(code))
    throw loginRefused('the server gives a code that nobody can type', undefined);
  return {
    url,
    code,
    wholeUrl: whole !== undefined && web.findPageFault(whole) === undefined ? whole : undefined,
    expiresInSeconds: seconds,
    finish: async (now, signal) => {
      const life = AbortSignal.timeout(Math.ceil(Math.min(seconds, MAX_SECONDS) * 1000));
      const ends = AbortSignal.any([signal, life]);
      const over = Promise.withResolvers<never>();
      const end = (): void => over.reject(ends.reason);
      ends.addEventListener('abort', end, { once: true });
      try {
        ends.throwIfAborted();
        // The library notices an aborted signal only every five seconds, so the race ends the wait at once.
        const response = await Promise.race([
          poll(configuration, deviceAuthorizationResponse, resource, ends),
          over.promise,
        ]);
        return tokenSetOf(response, now());
      } catch (error) {
        signal.throwIfAborted();
        if (life.aborted) throw loginTimedOut(seconds);
        throw isPortolanError(error) ? error : refusalOf(error);
      } finally {
        ends.removeEventListener('abort', end);
      }
    },
  };
}

/** Polls until there is a result. A failed request does not end the login (RFC 8628, section 3.5). */
async function poll(
  configuration: openid.Configuration,
  started: openid.DeviceAuthorizationResponse,
  resource: string | undefined,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<typeof openid.pollDeviceAuthorizationGrant>>> {
  const { pollDeviceAuthorizationGrant } = await loadOpenid();
  const paced = { ...started, interval: Math.max(started.interval ?? USUAL_SECONDS, 1) };
  for (;;) {
    try {
      const target = resource === undefined ? {} : { resource };
      return await pollDeviceAuthorizationGrant(configuration, paced, target, { signal });
    } catch (error) {
      if (signal.aborted || !mayPass(error)) throw error;
    }
  }
}

/** Default polling interval in seconds (RFC 8628, section 3.2). */
const USUAL_SECONDS = 5;

/** Returns whether an error is temporary: no connection, a timeout, or an error of a gateway. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof Error) || oauthErrorOf(error) !== undefined) return false;
  if ('code' in error && error.code === 'OAUTH_TIMEOUT') return true;
  const { cause } = error;
  const status = typeof cause === 'object' && cause !== null && 'status' in cause ? cause.status : undefined;
  return Number(status) >= 500 || (error instanceof TypeError && error.message === 'fetch failed');
}
