import type { AuthProvider } from '@portolan/plugin-api';
import { authProviderOf, type NamedAuthProvider, type RunConfig } from '@portolan/run-spec';
import type { KindSettings, WorkloadContext } from '../../workload-context.ts';
import { handedSecret } from './handed-secret.ts';

export interface ListenerAuth {
  readonly authProvider: AuthProvider;
  readonly callersProve: boolean;
}

/**
 * Opens the auth provider of a run config; undefined when callers stay anonymous. `secrets` maps names of
 * secrets to values.
 */
export async function openAuthProvider(
  config: RunConfig,
  secrets: Readonly<Record<string, string>>,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<ListenerAuth | undefined> {
  const named = authProviderOf(config, (reference) => handedSecret(reference, secrets, config.name));
  if (named === undefined) return undefined;
  const { instance, identifies } = await kinds.openAuthProvider(named.type, authGivenTo(named, config.name));
  return { authProvider: instance, callersProve: identifies };
}

export function authGivenTo({ parameters, place }: NamedAuthProvider, workload: string): KindSettings {
  return { value: parameters, place, origin: `the run config of ${workload}` };
}
