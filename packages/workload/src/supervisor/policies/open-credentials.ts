import type {
  CredentialsState,
  OutgoingCredentials,
  OutgoingCredentialsHostContext,
  WorkloadLogin,
} from '@portolan/plugin-api';
import { LOGIN_CREDENTIALS, type NamedMiddleware } from '@portolan/run-spec';
import { type WatchedLogin, watchLogin } from '../../login/workload-login.ts';
import { handedSecret } from './handed-secret.ts';
import { givenTo } from './open-middleware.ts';
import type { Supervision } from '../supervision.ts';
import { noteWaiting } from '../waiting.ts';

/**
 * Opens the credentials kind that the run config names for the remote server. Throws what the kind throws.
 */
export async function openNamedCredentials(
  named: NamedMiddleware,
  work: Supervision,
): Promise<OutgoingCredentials> {
  const { config, context } = work;
  const login = await loginOf(work);
  // A named kind of credentials replaces the login, so stop watching the login.
  login.close();
  const hostContext = contextOf(work, login, '');
  return await context.kinds.openOutgoingCredentials(named.type, hostContext, givenTo(named, config.name));
}

/**
 * Opens the credentials that a workload's login provides, and keeps its tokens fresh. The code for logins is
 * loaded once a login exists; until then, requests carry no credentials. Throws what the credentials kind
 * throws.
 */
export async function openLoginCredentials(work: Supervision): Promise<Required<OutgoingCredentials>> {
  const { kinds } = work.context;
  const login = await loginOf(work);
  const hint = ` Log in again: portolan login ${work.config.name}`;
  const open = async (): Promise<OutgoingCredentials> =>
    await kinds.openOutgoingCredentials(LOGIN_CREDENTIALS, contextOf(work, login, hint), undefined);
  let opening: Promise<OutgoingCredentials> | undefined;
  const quiet = login.onChange(async () => {
    if (opening !== undefined) return;
    opening = open();
    await opening;
  });
  if (login.isThere || login.handed !== undefined) {
    opening = open();
    await opening.catch((error: unknown) => {
      login.close();
      throw error;
    });
  }
  return {
    credentials: async (outgoing, signal) => (await (await opening)?.credentials(outgoing, signal)) ?? [],
    refused: async (sent, refusal) => (await (await opening)?.refused?.(sent, refusal)) ?? false,
    close: async () => {
      quiet();
      login.close();
      await (await opening)?.close?.();
    },
  };
}

async function loginOf({ config, context, order, record, stepUp }: Supervision): Promise<WatchedLogin> {
  const lacks = (missingScopes: readonly string[]): void => {
    record.note((state) => ({ ...state, missingScopes }));
  };
  return await watchLogin(
    { config, secrets: order.policySecrets, handed: order.login, lacks, stepUp },
    context,
  );
}

function contextOf(work: Supervision, login: WorkloadLogin, hint: string): OutgoingCredentialsHostContext {
  const { remote_url: url, name } = work.config;
  return {
    server: { workload: name, url: new URL(url) },
    secret: (reference) => handedSecret(reference, work.order.policySecrets, name),
    changed: (state) => noteCredentials(work, state, hint),
    login,
  };
}

function noteCredentials(work: Supervision, state: CredentialsState, hint: string): void {
  const { record, lifecycle } = work;
  const well = lifecycle.isStarting ? 'starting' : 'running';
  if (state.is === 'retrying') noteWaiting(work, 'auth_retrying', state.why);
  else if (work.waiting?.status === 'auth_retrying') work.waiting = undefined;
  record.note((before) => {
    if (state.is === 'retrying') return { ...before, status: 'auth_retrying', statusContext: state.why };
    if (state.is === 'over') {
      return { ...before, status: 'unauthenticated', statusContext: `${state.why}${hint}` };
    }
    const isOurs = before.status === 'auth_retrying' || before.status === 'unauthenticated';
    return isOurs ? { ...before, status: well, statusContext: '' } : before;
  });
}
