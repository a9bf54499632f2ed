import {
  createRunConfig,
  liftSecrets,
  type MergedSettings,
  middlewareOf,
  policyPartOf,
  type RunConfig,
} from '@portolan/run-spec';
import { givenTo } from '../../supervisor/open-middleware.ts';
import type { WorkloadContext } from '../../workload-context.ts';

/**
 * A workload whose run config names proxy middleware is run with it or not at
 * all. Gives what its kinds tell of their settings and do not refuse. Throws
 * ERR_KIND_UNKNOWN for a kind that no plugin has brought, and ERR_CONFIG_INVALID
 * for settings that it cannot be made of.
 */
export async function requireMiddleware(
  config: RunConfig,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<readonly string[]> {
  const told: string[] = [];
  for (const named of middlewareOf(config)) {
    told.push(...(await kinds.checkProxyMiddleware(named.type, givenTo(named, config.name))));
  }
  return told;
}

/** The same for what flags ask for, before anything is pulled or built; a file that a flag names is told with its faults. */
export async function requirePolicies(
  settings: MergedSettings,
  files: ReadonlyMap<string, string>,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<readonly string[]> {
  const told: string[] = [];
  const config = policiesIn(settings);
  const { name } = config;
  for (const named of middlewareOf(config)) {
    const given = givenTo(named, name);
    const origin = files.get(named.place);
    told.push(
      ...(await kinds.checkProxyMiddleware(
        named.type,
        given === undefined || origin === undefined ? given : { ...given, origin },
      )),
    );
  }
  return told;
}

/** What flags ask for in front of a server, as a run config has it; secrets are named in it. */
export function policiesIn(settings: MergedSettings): RunConfig {
  const name = settings.name.value;
  return liftSecrets(createRunConfig({ ...policyPartOf(settings), oidc_config: settings.oidc, name })).config;
}
