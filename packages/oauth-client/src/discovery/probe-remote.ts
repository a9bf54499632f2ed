import { reasonIn } from '@portolan/outbound';
import { discoveryFailed } from '../errors.ts';
import type { OauthWeb } from '../web/oauth-web.ts';
import { type Challenge, findBearerChallenge } from './parse-challenge.ts';

/** What a remote says to somebody without a token. */
export type RemoteProbe =
  | { readonly wants: 'nothing' }
  /** What its challenge says; empty where it says nothing. */
  | { readonly wants: 'token'; readonly challenge: Challenge['parameters'] };

/** A request that somebody without a token makes. */
export interface Probing {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Asks a remote as a client without a token would, in one way after the other
 * until it says something: 401, or anything that is no error. Throws
 * ERR_LOGIN_DISCOVERY for one that does not answer at all.
 */
export async function probeRemote(
  remote: URL,
  probings: readonly Probing[],
  web: OauthWeb,
  signal: AbortSignal,
): Promise<RemoteProbe> {
  let lastFault: unknown;
  let hasAnswered = false;
  for (const question of probings) {
    try {
      const { status, headers } = await web.ask(remote, question, signal);
      hasAnswered = true;
      if (status === 401) {
        return {
          wants: 'token',
          challenge: findBearerChallenge(headers.get('www-authenticate')) ?? new Map(),
        };
      }
      if (status < 400) return { wants: 'nothing' };
    } catch (error) {
      signal.throwIfAborted();
      lastFault = error;
    }
  }
  if (!hasAnswered)
    throw discoveryFailed(`${remote.origin} does not answer: ${reasonIn(lastFault)}`, lastFault);
  return { wants: 'nothing' };
}
