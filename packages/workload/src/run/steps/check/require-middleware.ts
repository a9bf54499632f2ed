import {
  createRunConfig,
  liftSecrets,
  type MergedSettings,
  middlewareOf,
  policyPartOf,
  type RunConfig,
} from '@portolan/run-spec';
import { givenTo } from '../../../supervisor/policies/open-middleware.ts';
import type { WorkloadContext } from '../../../workload-context.ts';

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

/**
 * Checks what flags ask for, before anything is pulled or built. `places` has the flag or the file
 * that fills a field: the error names it. Throws as `requireMiddleware`.
 */
export async function requirePolicies(
  settings: MergedSettings,
  places: ReadonlyMap<string, string>,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<readonly string[]> {
  const told: string[] = [];
  const config = policiesIn(settings);
  const { name } = config;
  for (const named of middlewareOf(config)) {
    const given = givenTo(named, name);
    const origin = places.get(named.place) ?? 'the command line';
    told.push(
      ...(await kinds.checkProxyMiddleware(
        named.type,
        given === undefined
          ? given
          : { ...given, origin, calledOf: (place) => places.get(place.replace(/\[\d+\]$/, '')) },
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
