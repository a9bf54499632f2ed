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

/** Checks the proxy middleware and returns warnings. Throws ERR_KIND_UNKNOWN and ERR_CONFIG_INVALID. */
export async function requireMiddleware(
  config: RunConfig,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<readonly string[]> {
  const messages: string[] = [];
  for (const named of middlewareOf(config)) {
    messages.push(...(await kinds.checkProxyMiddleware(named.type, givenTo(named, config.name))));
  }
  return messages;
}

/**
 * Checks the middleware that command-line flags configure. `places` maps run config fields to the flag or
 * file that sets them. Throws like `requireMiddleware`.
 */
export async function requirePolicies(
  settings: MergedSettings,
  places: ReadonlyMap<string, string>,
  { kinds }: Pick<WorkloadContext, 'kinds'>,
): Promise<readonly string[]> {
  const policies: string[] = [];
  const config = policiesIn(settings);
  const { name } = config;
  for (const named of middlewareOf(config)) {
    const options = givenTo(named, name);
    const origin = places.get(named.place) ?? 'the command line';
    policies.push(
      ...(await kinds.checkProxyMiddleware(
        named.type,
        options === undefined
          ? options
          : { ...options, origin, calledOf: (place) => places.get(place.replace(/\[\d+\]$/, '')) },
      )),
    );
  }
  return policies;
}

/** Returns the policy settings as a run config, in which references replace the secrets. */
export function policiesIn(settings: MergedSettings): RunConfig {
  const name = settings.name.value;
  return liftSecrets(createRunConfig({ ...policyPartOf(settings), oidc_config: settings.oidc, name })).config;
}
