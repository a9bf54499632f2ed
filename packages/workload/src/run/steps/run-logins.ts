import type { UndoStack } from '@portolan/plugin-api';
import type { RunConfig } from '@portolan/run-spec';
import type { LoggedIn } from '../../login/logged-in.ts';
import type { SupervisorOrder } from '../../supervisor/supervisor-order.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import { logInMembers } from '../members/log-in-members.ts';
import type { RunObserver } from '../run-observer.ts';
import type { BringUpRequest } from './bring-up.ts';
import { persistLogin } from './persist-login.ts';
import type { SecretValues, WorkloadSecretValues } from './run-secrets.ts';

export interface RunLogins {
  /** Run config that refers to the logins. */
  readonly config: RunConfig;
  /** Secret values, with the access tokens of the logins. */
  readonly values: BringUpRequest['values'];
  /** Stores the logins. Call this only after the run has claimed the name; see `RunLogin`. */
  keep(signal: AbortSignal): Promise<void>;
}

/** Logs in to the remote server of a run, or to those of its members. Throws ERR_LOGIN_*. */
export async function logInForRun(
  config: RunConfig,
  secrets: WorkloadSecretValues,
  context: WorkloadContext,
  { observer, undo }: { readonly observer: RunObserver; readonly undo: UndoStack },
  signal: AbortSignal,
): Promise<RunLogins> {
  const login = await loginFor(config, secrets, context, observer, signal);
  // If the run fails, do not undo an earlier login: its refresh token was already replaced by a new one.
  const own = login === undefined || login.isEarlier ? undefined : persistLogin(login, context, undo);
  const ofMembers = await logInMembers(login?.config ?? config, secrets.members ?? {}, {
    context,
    observer,
    undo,
    logInTo: async (server, values, ownObserver) =>
      await loginFor(server, values, context, ownObserver, signal),
  });
  return {
    config: ofMembers.config,
    values: withLogins(secrets, login, ofMembers.logins),
    keep: async (unaborted) => {
      await own?.keep(unaborted);
      for (const one of ofMembers.unstored) await one.keep(unaborted);
    },
  };
}

/** Returns the login of a workload, if it needs one. Throws ERR_LOGIN_*. */
async function loginFor(
  config: RunConfig,
  values: SecretValues,
  context: WorkloadContext,
  observer: RunObserver,
  signal: AbortSignal,
): Promise<LoggedIn | undefined> {
  const isProven = Object.keys(values.headers).some((name) => name.toLowerCase() === 'authorization');
  if (config.remote_url === '' || isProven) return undefined;
  const { logIn } = await import('../../login/log-in.ts');
  return await logIn({ config, secrets: values.policySecrets, isAsked: false }, context, observer, signal);
}

function withLogins(
  secrets: WorkloadSecretValues,
  login: LoggedIn | undefined,
  logins: ReadonlyMap<string, LoggedIn>,
): BringUpRequest['values'] {
  const own = login === undefined ? secrets : { ...secrets, login: handedOf(login) };
  if (secrets.members === undefined) return own;
  const members = Object.entries(secrets.members).map(([member, values]) => {
    const memberLogin = logins.get(member);
    return [
      member,
      memberLogin === undefined ? values : { ...values, login: handedOf(memberLogin) },
    ] as const;
  });
  return { ...own, members: Object.fromEntries(members) };
}

function handedOf({ tokens }: LoggedIn): NonNullable<SupervisorOrder['login']> {
  return { accessToken: tokens.accessToken, expiresAt: tokens.expiresAt?.toISOString() };
}
