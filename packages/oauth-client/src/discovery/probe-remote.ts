import { reasonIn } from '@portolan/outbound';
import { discoveryFailed } from '../errors.ts';
import type { OauthWeb } from '../web/oauth-web.ts';
import { type Challenge, findBearerChallenge } from './parse-challenge.ts';

export type RemoteProbe =
  | { readonly wants: 'nothing' }
  | { readonly wants: 'token'; readonly challenge: Challenge['parameters'] };

export interface Probing {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

/**
 * Sends requests without a token in several forms until one yields 401 or success. Throws ERR_LOGIN_DISCOVERY
 * for an unresponsive remote.
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
    throw discoveryFailed(`${remote.origin} does not respond: ${reasonIn(lastFault)}`, lastFault);
  return { wants: 'nothing' };
}
