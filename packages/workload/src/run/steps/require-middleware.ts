import {
  createRunConfig,
  liftSecrets,
  type MergedSettings,
  middlewareOf,
  type RunConfig,
} from '@portolan/run-spec';
import { givenTo } from '../../supervisor/open-middleware.ts';
import type { WorkloadContext } from '../../workload-context.ts';

/**
 * A workload whose run config names proxy middleware is run with it or not at
 * all. Throws ERR_KIND_UNKNOWN for a kind that no plugin has brought, and
 * ERR_CONFIG_INVALID for settings that it cannot be made of.
 */
export async function requireMiddleware(
  config: RunConfig,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<void> {
  for (const named of middlewareOf(config)) {
    await kinds.checkProxyMiddleware(named.type, givenTo(named, config.name));
  }
}

/** The same for what flags ask for, before anything is pulled or built; a file that a flag names is told with its faults. */
export async function requirePolicies(
  { name, policyFields }: Pick<MergedSettings, 'name' | 'policyFields'>,
  files: ReadonlyMap<string, string>,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<void> {
  const fields = Object.fromEntries([...policyFields].map(([field, { value }]) => [field, value]));
  const { config } = liftSecrets(createRunConfig({ ...fields, name: name.value }));
  for (const named of middlewareOf(config)) {
    const given = givenTo(named, name.value);
    const origin = files.get(named.place);
    await kinds.checkProxyMiddleware(
      named.type,
      given === undefined || origin === undefined ? given : { ...given, origin },
    );
  }
}
