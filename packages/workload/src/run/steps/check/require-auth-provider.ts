import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { authProviderOf, authTokenFileOf, type RunConfig, unusableSetting } from '@portolan/run-spec';
import { fileUnreadable } from '../../../state/state-errors.ts';
import { authGivenTo } from '../../../supervisor/policies/open-auth-provider.ts';
import type { WorkloadContext } from '../../../workload-context.ts';

/**
 * Variables that disable OIDC discovery: Portolan's, then ToolHive's, because Portolan also runs ToolHive's
 * run configs.
 */
const WITHOUT_DISCOVERY = ['PORTOLAN_SKIP_OIDC_DISCOVERY', 'TOOLHIVE_SKIP_OIDC_DISCOVERY'] as const;

/**
 * Checks the settings of the auth provider without contacting the issuer, which may be unavailable. Throws
 * like `requireKeys`, and ERR_CONFIG_INVALID.
 */
export async function requireAuthProvider(
  config: RunConfig,
  { kinds, environment }: Pick<WorkloadContext, 'kinds' | 'environment'>,
): Promise<void> {
  const named = authProviderOf(config);
  if (named === undefined) return;
  await requireKeys(config, { environment });
  await kinds.checkAuthProvider(named.type, authGivenTo(named, config.name));
}

/**
 * Checks that the run config says how to find and fetch the issuer's keys. The auth provider's own check does
 * not cover this. Throws ERR_NAMED_FILE and ERR_SETTING.
 */
export async function requireKeys(
  config: RunConfig,
  { environment }: Pick<WorkloadContext, 'environment'>,
): Promise<void> {
  const named = authProviderOf(config);
  if (named === undefined) return;
  requireDiscovery(config, environment);
  const file = named.type === 'oauth' ? authTokenFileOf(config) : '';
  if (file === '') return;
  await access(file, constants.R_OK).catch((error: unknown) => {
    throw fileUnreadable('token file', file, error);
  });
}

/** Requires a JWKS URL when discovery is disabled, because the issuer then cannot tell where its keys are. */
function requireDiscovery(
  { oidc_config: oidc }: RunConfig,
  environment: WorkloadContext['environment'],
): void {
  const by = WITHOUT_DISCOVERY.find((name) => environment[name]?.trim().toLowerCase() === 'true');
  if (by === undefined || oidc === undefined || oidc.Issuer === '' || oidc.JWKSURL !== '') return;
  throw unusableSetting('--oidc-jwks-url', 'nothing', `a JWKS URL, because ${by} disables discovery`);
}
