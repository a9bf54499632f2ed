import type * as openid from 'openid-client';
import { isPortolanError } from '@portolan/plugin-api';
import type { AuthorizationServer } from '../discovery/find-authorization-server.ts';
import { loginRefused, loginTimedOut } from '../errors.ts';
import { loadOpenid } from '../registration/oauth-client.ts';
import type { OauthWeb } from '../web/oauth-web.ts';
import { type TokenSet, tokenSetOf } from '../tokens/token-set.ts';
import { type CodeFlowRequest, oauthErrorOf, refusalOf } from './code-flow.ts';

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

export type DeviceFlowRequest = Pick<CodeFlowRequest, 'scopes' | 'scopeParamName' | 'extra'> & {
  readonly resource: string | undefined;
};

/** Whether a server lets people log in on another device. */
export function offersDeviceFlow({ metadata }: AuthorizationServer): boolean {
  return metadata.device_authorization_endpoint !== undefined;
}

/** Nobody logs in for longer; a timer of Node.js could not wait as long as a server may say. */
const MAX_SECONDS = 24 * 3600;

/** Begins a login on another device. Throws ERR_LOGIN_REFUSED. */
export async function beginDeviceFlow(
  configuration: openid.Configuration,
  { scopes, scopeParamName, resource, extra }: DeviceFlowRequest,
  web: Pick<OauthWeb, 'findPageFault'>,
): Promise<DeviceFlow> {
  const { initiateDeviceAuthorization } = await loadOpenid();
  const scope = scopes === undefined ? {} : { [scopeParamName]: scopes.join(' ') };
  let begun: openid.DeviceAuthorizationResponse;
  try {
    const target = resource === undefined ? {} : { resource };
    begun = await initiateDeviceAuthorization(configuration, { ...extra, ...scope, ...target });
  } catch (error) {
    throw refusalOf(error);
  }
  const {
    verification_uri: url,
    verification_uri_complete: whole,
    user_code: code,
    expires_in: seconds,
  } = begun;
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
        // The library looks at a signal every five seconds: whoever gives up does not wait for that.
        const answer = await Promise.race([poll(configuration, begun, resource, ends), over.promise]);
        return tokenSetOf(answer, now());
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

/** Asks until there is an answer; that nobody answers for once ends no login (RFC 8628, section 3.5). */
async function poll(
  configuration: openid.Configuration,
  begun: openid.DeviceAuthorizationResponse,
  resource: string | undefined,
  signal: AbortSignal,
): Promise<Awaited<ReturnType<typeof openid.pollDeviceAuthorizationGrant>>> {
  const { pollDeviceAuthorizationGrant } = await loadOpenid();
  const paced = { ...begun, interval: Math.max(begun.interval ?? USUAL_SECONDS, 1) };
  for (;;) {
    try {
      const target = resource === undefined ? {} : { resource };
      return await pollDeviceAuthorizationGrant(configuration, paced, target, { signal });
    } catch (error) {
      if (signal.aborted || !mayPass(error)) throw error;
    }
  }
}

/** Between two questions, where the server names no time (RFC 8628, section 3.2). */
const USUAL_SECONDS = 5;

/** No connection, no answer in time, or the word of a gateway in front of the server. */
function mayPass(error: unknown): boolean {
  if (!(error instanceof Error) || oauthErrorOf(error) !== undefined) return false;
  if ('code' in error && error.code === 'OAUTH_TIMEOUT') return true;
  const { cause } = error;
  const status = typeof cause === 'object' && cause !== null && 'status' in cause ? cause.status : undefined;
  return Number(status) >= 500 || (error instanceof TypeError && error.message === 'fetch failed');
}
