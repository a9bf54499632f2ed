import type { SessionStore } from '@portolan/plugin-api';
import type { RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../../workload-context.ts';
import { handedSecret } from './handed-secret.ts';

/**
 * Opens the session store; undefined when the proxy keeps sessions in memory. All proxies of one remote
 * server share its sessions; sessions of a container belong to its workload. `secrets` maps names of secrets
 * to values.
 */
export async function openSessionStore(
  config: RunConfig,
  ttlMs: number,
  secrets: Readonly<Record<string, string>>,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<SessionStore | undefined> {
  const { session_store: address, session_store_password: password, remote_url: remote, name } = config;
  if (address === '') return undefined;
  return await kinds.openSessionStore({
    address: new URL(address),
    password: password === '' ? undefined : handedSecret(password, secrets, name),
    namespace: remote === '' ? `workload ${name}` : remote,
    ttlMs,
  });
}
