import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { authProviderOf, authTokenFileOf, type RunConfig, unusableSetting } from '@portolan/run-spec';
import { fileUnreadable } from '../../../state/state-errors.ts';
import { authGivenTo } from '../../../supervisor/policies/open-auth-provider.ts';
import type { WorkloadContext } from '../../../workload-context.ts';

/** Ours, and that of the tool whose files are read as well. */
const WITHOUT_DISCOVERY = ['PORTOLAN_SKIP_OIDC_DISCOVERY', 'TOOLHIVE_SKIP_OIDC_DISCOVERY'] as const;

/**
 * Whoever has to prove who calls is asked for it, or nothing runs. Nobody outside
 * is asked here: an issuer may be down when a workload starts. Throws what
 * requireKeys throws, and ERR_CONFIG_INVALID.
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

/** What its kind does not know of: whether the keys of an issuer can be found, and asked for. Throws ERR_NAMED_FILE and ERR_SETTING. */
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

/** Where nothing may be discovered, an issuer does not say where its keys are. */
function requireDiscovery(
  { oidc_config: oidc }: RunConfig,
  environment: WorkloadContext['environment'],
): void {
  const by = WITHOUT_DISCOVERY.find((name) => environment[name]?.trim().toLowerCase() === 'true');
  if (by === undefined || oidc === undefined || oidc.Issuer === '' || oidc.JWKSURL !== '') return;
  throw unusableSetting(
    '--oidc-jwks-url',
    'nothing',
    `where the keys are, since ${by} lets nothing be discovered`,
  );
}
