import type { RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../../workload-context.ts';

const VARIABLES = ['PORTOLAN_OIDC_CLIENT_SECRET', 'TOOLHIVE_OIDC_CLIENT_SECRET'] as const;

/** Returns the client secret for token introspection. */
export function findOidcClientSecret({
  environment,
}: Pick<WorkloadContext, 'environment'>): { readonly value: string; readonly by: string } | undefined {
  for (const by of VARIABLES) {
    const value = environment[by]?.trim();
    if (value) return { value, by };
  }
  return undefined;
}

export function withOidcClientSecret(
  config: RunConfig,
  context: Pick<WorkloadContext, 'environment'>,
): Pick<RunConfig, 'oidc_config'> {
  const { oidc_config: oidc } = config;
  const match = oidc === undefined || oidc.ClientID === '' ? undefined : findOidcClientSecret(context);
  return {
    oidc_config:
      oidc === undefined || match === undefined || oidc.ClientSecret !== ''
        ? oidc
        : { ...oidc, ClientSecret: match.value },
  };
}
