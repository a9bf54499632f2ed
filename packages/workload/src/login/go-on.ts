import type { TokenSet } from '@portolan/oauth-client';
import type { StoredLogin } from '@portolan/run-spec';
import { storeSecrets } from '../secrets/store-secrets.ts';
import type { WorkloadContext } from '../workload-context.ts';
import { type EarlierLogin, withClientInTime } from './client-in-time.ts';
import { findEarlierSecrets, renewEarlier } from './restore-login.ts';
import { type LoggedIn, withLoginIn } from './logged-in.ts';
import type { LoginWork } from './login-flow.ts';
import { withLoginLock } from './login-marker.ts';
import { tokenNamesOf } from './stored-login.ts';

/**
 * Renews an earlier login without the user; returns undefined when the renewal fails. Holds the login lock,
 * so that no other workload with this login renews it at the same time. Stores the new refresh token before
 * using the new access token.
 */
export async function goOn(
  work: Pick<LoginWork, 'config' | 'auth' | 'found' | 'ownSecret' | 'web'>,
  context: WorkloadContext,
  signal: AbortSignal,
): Promise<LoggedIn | undefined> {
  const { config, auth, found, ownSecret, web } = work;
  const { name: workload } = config;
  const renew = async (): Promise<EarlierLogin & { readonly tokens: TokenSet | undefined }> => {
    const stored = await findEarlierSecrets(config, auth.login, context, signal);
    const before = { login: auth.login, secrets: stored };
    const inTime = await withClientInTime(before, found, { workload, context, web }, signal);
    const { login, secrets } = inTime;
    const tokens = await renewEarlier(login, auth, { login: found, secrets, ownSecret }, { ...context, web });
    const [name] = tokenNamesOf(login);
    const value = tokens?.refreshToken;
    if (name !== undefined && value !== undefined)
      await storeSecrets([{ name, value }], context, { scope: 'workloads' });
    return { ...inTime, tokens };
  };
  const { login: earlier, tokens } = await withLoginLock(workload, context.directories, renew, signal);
  if (earlier === undefined || tokens === undefined) return undefined;
  const login: StoredLogin = {
    ...earlier,
    issuer: found.server.issuer,
    resource: found.resource ?? '',
    scopes: tokens.scopes ?? earlier.scopes,
    subject: tokens.subject ?? earlier.subject,
    expiresAt: tokens.expiresAt?.toISOString(),
  };
  return { config: withLoginIn(config, login), secrets: [], tokens, isEarlier: true };
}
