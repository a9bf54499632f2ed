import { untilAborted } from '@portolan/plugin-api';
import {
  beginCodeFlow,
  beginDeviceFlow,
  configurationOf,
  loginTimedOut,
  type OauthWeb,
  type TokenSet,
} from '@portolan/oauth-client';
import type { LoginClient, LoginTarget } from './login-client.ts';
import type { Person } from './person.ts';

export interface LoginWalk {
  readonly place: LoginTarget;
  readonly provided: LoginClient;
  readonly person: Person;
  /** Purpose of the login in messages: the name of a workload, or the address of a registry. */
  readonly forWhat: string;
  /** URL to show as the receiver of the token when the login has no resource (RFC 8707). */
  readonly remoteUrl: string;
  /**
   * Maximum time for the user to log in, in milliseconds. `undefined` means 30 s, which the user may extend.
   * `0` means five minutes.
   */
  readonly timeoutMs: number | undefined;
  readonly skipsBrowser: boolean;
  readonly scopeParamName: string;
  readonly extra: Readonly<Record<string, string>>;
  readonly web: OauthWeb;
  readonly clock: () => Date;
}

/**
 * Lets the user log in: on this machine with the code flow and PKCE, on another device with the device flow.
 * Throws ERR_LOGIN_REFUSED, ERR_LOGIN_TIMEOUT and the reason of the signal.
 */
export async function walkLogin(walk: LoginWalk, signal: AbortSignal): Promise<TokenSet> {
  const { place, provided, person, forWhat, remoteUrl, timeoutMs, skipsBrowser } = walk;
  const { scopeParamName, extra, web, clock } = walk;
  const { server, scopes, resource, usesDevice } = place;
  const configuration = await configurationOf(server, provided.client, web);
  if (usesDevice) {
    const device = await beginDeviceFlow(configuration, { scopes, scopeParamName, resource, extra }, web);
    const { wholeUrl, url, code } = device;
    const ends = { at: hostOf(url), tokenFor: hostOf(resource ?? remoteUrl), forWhat };
    await person.showLogin({ ...ends, url: wholeUrl ?? url, code, opens: false, isExtensible: false });
    // Without a limit, the lifetime of the device code applies.
    if (timeoutMs === undefined || timeoutMs === 0) return await device.finish(clock, signal);
    const over = new AbortController();
    const untilOver = AbortSignal.any([signal, over.signal]);
    try {
      return await inTime(device.finish(clock, untilOver), { timeoutMs, person, clock }, signal);
    } finally {
      over.abort();
    }
  }
  const { redirectUri } = provided.listener;
  const codeFlow = await beginCodeFlow(configuration, {
    redirectUri,
    scopes,
    scopeParamName,
    resource,
    extra,
  });
  const redirected = provided.listener.redirected(codeFlow.proof.state);
  const opens = person.hasBrowser && !skipsBrowser;
  const isExtensible = timeoutMs === undefined;
  const ends = { at: codeFlow.url.host, tokenFor: hostOf(resource ?? remoteUrl), forWhat };
  await person.showLogin({ ...ends, url: codeFlow.url.href, code: undefined, opens, isExtensible });
  const redirect = await inTime(redirected, { timeoutMs, person, clock }, signal);
  try {
    const tokens = await untilAborted(codeFlow.finish(redirect.url, clock), signal);
    redirect.show({ went: 'well', workload: forWhat, issuer: server.issuer });
    return tokens;
  } catch (error) {
    const why = error instanceof Error ? error.message : 'Something went wrong.';
    redirect.show({ went: 'wrong', workload: forWhat, why });
    throw error;
  }
}

function hostOf(address: string): string {
  return URL.parse(address)?.host ?? address;
}

const USUAL_MS = 30_000;
const MORE_MS = 300_000;

/** Waits up to `timeoutMs`. With `undefined`, waits 30 s, and five minutes more each time the user asks. */
async function inTime<Value>(
  promise: Promise<Value>,
  { timeoutMs, person, clock }: Pick<LoginWalk, 'timeoutMs' | 'person' | 'clock'>,
  signal: AbortSignal,
): Promise<Value> {
  let limitMs = timeoutMs === undefined ? USUAL_MS : timeoutMs === 0 ? MORE_MS : timeoutMs;
  const began = performance.now();
  const over = Promise.withResolvers<never>();
  let timer: NodeJS.Timeout | undefined;
  const wait = (): Date => {
    clearTimeout(timer);
    const left = Math.max(began + limitMs - performance.now(), 0);
    timer = setTimeout(() => over.reject(loginTimedOut(Math.round(limitMs / 1000))), left);
    return new Date(clock().getTime() + left);
  };
  const quiet =
    timeoutMs === undefined
      ? person.onMoreTime(() => {
          limitMs += MORE_MS;
          return wait();
        })
      : (): void => undefined;
  wait();
  try {
    return await untilAborted(Promise.race([promise, over.promise]), signal);
  } finally {
    clearTimeout(timer);
    quiet();
  }
}
