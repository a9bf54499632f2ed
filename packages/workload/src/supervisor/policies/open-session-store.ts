import type { SessionStore } from '@portolan/plugin-api';
import type { RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../../workload-context.ts';
import { handedSecret } from './handed-secret.ts';

/**
 * Opens the store in which the proxy keeps sessions; undefined where each proxy
 * keeps its own. Those of one remote are the same before every proxy, whatever
 * its workload is called; a container has a proxy of its own. `secrets` are by name.
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
