import type { AuthProvider } from '@portolan/plugin-api';
import { authProviderOf, type NamedAuthProvider, type RunConfig } from '@portolan/run-spec';
import type { GivenSettings, WorkloadContext } from '../../workload-context.ts';
import { handedSecret } from './handed-secret.ts';

/** Who says who calls, and whether callers have to prove it. */
export interface FrontAuth {
  readonly authProvider: AuthProvider;
  readonly callersProve: boolean;
}

/** Opens the auth provider that a run config asks for; undefined where nobody has to say who calls. `secrets` are by name. */
export async function openAuthProvider(
  config: RunConfig,
  secrets: Readonly<Record<string, string>>,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<FrontAuth | undefined> {
  const named = authProviderOf(config, (reference) => handedSecret(reference, secrets, config.name));
  if (named === undefined) return undefined;
  const { instance, identifies } = await kinds.openAuthProvider(named.type, authGivenTo(named, config.name));
  return { authProvider: instance, callersProve: identifies };
}

export function authGivenTo({ parameters, place }: NamedAuthProvider, workload: string): GivenSettings {
  return { value: parameters, place, origin: `the run config of ${workload}` };
}
