import {
  isPortolanError,
  type BrowserLogin,
  type BrowserSessions,
  type JsonObject,
  type Logger,
} from '@portolan/plugin-api';
import { isDue, isGood, readSession, type SessionData, toJson, toSession } from './session-data.ts';

export interface LoggedInParts {
  readonly sessions: BrowserSessions;
  readonly logins: () => readonly BrowserLogin[];
  readonly clock: () => Date;
  readonly logger: Logger;
}

/**
 * Returns the session with a valid token; undefined if there is none. Renews a token that expires soon, once
 * for concurrent requests on all replicas. Deletes an expired session.
 */
export async function loggedIn(
  id: string,
  { sessions, logins, clock, logger }: LoggedInParts,
  signal: AbortSignal,
): Promise<SessionData | undefined> {
  const now = (): number => clock().getTime();
  const match = await sessions.find(id);
  if (match === undefined) return undefined;
  const session = readSession(match);
  const loginOf = (provider: string) => logins().find(({ name }) => name === provider);
  if (session === undefined || loginOf(session.provider) === undefined) {
    await sessions.end(id);
    return undefined;
  }
  if (!isDue(session, now())) {
    if (isGood(session, now())) return session;
    await sessions.end(id);
    return undefined;
  }
  let brought: string | undefined;
  const renew = async (stored: JsonObject): Promise<JsonObject | undefined> => {
    const current = readSession(stored);
    const login = loginOf(current?.provider ?? '');
    if (current === undefined || login === undefined) return undefined;
    // Another request or replica has already renewed the token.
    if (!isDue(current, now()) || current.renewal === undefined) return stored;
    try {
      const tokens = await login.renew(current.renewal, signal);
      brought = tokens.renewal;
      return toJson(toSession(current.provider, tokens, now(), current));
    } catch (err) {
      logger.info({ provider: current.provider, err }, 'a browser login could not be renewed');
      if (isPortolanError(err) && err.class === 'refused') return undefined;
      return stored;
    }
  };
  const renewed = await sessions.change(id, renew, signal);
  // The user logged out during the renewal, so revoke the new token at the provider, too.
  if (renewed === undefined && brought !== undefined)
    void loginOf(session.provider)?.end(brought, AbortSignal.timeout(15_000));
  const current = renewed === undefined ? undefined : readSession(renewed);
  return current !== undefined && isGood(current, now()) ? current : undefined;
}
