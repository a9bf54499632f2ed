import type { RunConfig } from '@portolan/run-spec';
import type { WorkloadContext } from '../../workload-context.ts';

/** Ours, and that of the tool whose files are read as well. */
const VARIABLES = ['PORTOLAN_OIDC_CLIENT_SECRET', 'TOOLHIVE_OIDC_CLIENT_SECRET'] as const;

/** The secret with which tokens are asked about, and the variable that has it; undefined where none has. */
export function findOidcClientSecret({
  environment,
}: Pick<WorkloadContext, 'environment'>): { readonly value: string; readonly by: string } | undefined {
  for (const by of VARIABLES) {
    const value = environment[by]?.trim();
    if (value) return { value, by };
  }
  return undefined;
}

/** The same in a run config whose client has no secret. */
export function withOidcClientSecret(
  config: RunConfig,
  context: Pick<WorkloadContext, 'environment'>,
): Pick<RunConfig, 'oidc_config'> {
  const { oidc_config: oidc } = config;
  const found = oidc === undefined || oidc.ClientID === '' ? undefined : findOidcClientSecret(context);
  return {
    oidc_config:
      oidc === undefined || found === undefined || oidc.ClientSecret !== ''
        ? oidc
        : { ...oidc, ClientSecret: found.value },
  };
}
