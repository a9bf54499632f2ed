import type { KindProblem, OnlineCheckContext } from '@portolan/plugin-api';
import { KeyFetcher } from './keys/key-fetcher.ts';
import { type OauthConfig, providersIn } from './config/oauth-config.ts';
import { openProviderSettings } from './config/provider-settings.ts';
import { TIMING } from './timing.ts';
import { ONE_TENANT } from './url-rules.ts';

interface Provider {
  isForAnyTenant(signal: AbortSignal): Promise<boolean>;
}

/**
 * Returns a problem for each issuer whose metadata names a placeholder for the tenant, so that no token can
 * have that issuer. Throws like `openProviderSettings`.
 */
export async function checkOnline(
  config: OauthConfig,
  context: OnlineCheckContext,
  signal: AbortSignal,
): Promise<readonly KindProblem[]> {
  const opened = await openProviderSettings(config, context);
  try {
    const fetchers = opened.map((each) => new KeyFetcher(each, TIMING, () => performance.now()));
    return await findTenantlessIssuers(config, fetchers, signal);
  } finally {
    await Promise.all(opened.map(({ connection }) => connection.close()));
  }
}

export async function findTenantlessIssuers(
  config: OauthConfig,
  providers: readonly Provider[],
  signal: AbortSignal,
): Promise<readonly KindProblem[]> {
  const faults = await Promise.all(providers.map((each) => each.isForAnyTenant(signal)));
  const found = 'an issuer for any tenant: its metadata names {tenantid}, and tokens name their tenant';
  return providersIn(config).flatMap(({ place }, index) =>
    faults[index] === true ? [{ place: `${place}.issuerUrl`, found, expected: ONE_TENANT }] : [],
  );
}
