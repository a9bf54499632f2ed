import type { UndoStack } from '@portolan/plugin-api';
import { credentialsOf, type RunConfig } from '@portolan/run-spec';
import type { LoggedIn } from '../../login/logged-in.ts';
import { changeMember, memberConfigsOf } from '../../state/member-config.ts';
import type { WorkloadContext } from '../../workload-context.ts';
import type { RunObserver } from '../run-observer.ts';
import { persistLogin, type RunLogin } from '../steps/persist-login.ts';
import type { SecretValues } from '../steps/run-secrets.ts';
import { nameMember, observerOfMember } from './name-member.ts';

/** Logs in to the remote server of one run config, if it needs a login. */
export type LogInTo = (
  config: RunConfig,
  values: SecretValues,
  observer: RunObserver,
) => Promise<LoggedIn | undefined>;

export interface MemberLogins {
  /** Run config with the logins of the members. */
  readonly config: RunConfig;
  readonly logins: ReadonlyMap<string, LoggedIn>;
  /** Logins that must be stored when the name is reserved. */
  readonly unstored: readonly RunLogin[];
}

/** Logs in to the remote members of a virtual server, one after the other. Errors name the member. */
export async function logInMembers(
  config: RunConfig,
  values: Readonly<Record<string, SecretValues>>,
  {
    context,
    observer,
    undo,
    logInTo,
  }: {
    readonly context: WorkloadContext;
    readonly observer: RunObserver;
    readonly undo: UndoStack;
    readonly logInTo: LogInTo;
  },
): Promise<MemberLogins> {
  let changed = config;
  const logins = new Map<string, LoggedIn>();
  const unstored: RunLogin[] = [];
  for (const [member, server] of memberConfigsOf(config)) {
    const own = values[member];
    const settings = config.members[member];
    if (server.remote_url === '' || own === undefined || settings === undefined) continue;
    if (credentialsOf(settings) !== 'workload') continue;
    const login = await nameMember(
      member,
      async () => await logInTo(server, own, observerOfMember(member, observer)),
    );
    if (login === undefined) continue;
    changed = changeMember(changed, member, login.config);
    logins.set(member, login);
    if (!login.isEarlier) unstored.push(persistLogin(login, context, undo));
  }
  return { config: changed, logins, unstored };
}
