import {
  type Demands,
  findDemands,
  findEntryDemands,
  type Grant,
  type MergedSettings,
  type Refusal,
  type RunConfig,
  createRunConfig,
  type ServerSettings,
} from '@portolan/run-spec';
import type { WorkloadContext } from '../workload-context.ts';
import { consentFacts } from './consent-facts.ts';
import { findEnvironmentGrants } from './environment-demands.ts';
import { resolveDemands } from './resolve-demands.ts';

type DemandContext = Pick<
  WorkloadContext,
  'directories' | 'environment' | 'home' | 'workingDirectory' | 'lookUpHost' | 'logger'
>;

/**
 * Returns the grants that a run config from a file needs, and its forbidden settings. The paths in `config`
 * must be absolute.
 */
export async function demandsOfFile(
  config: RunConfig,
  workload: string,
  context: DemandContext,
  signal: AbortSignal,
): Promise<Demands> {
  const { grants, refusals } = await resolveDemands(
    (addressesOf) => findDemands(config, 'file', consentFacts(context, workload, addressesOf)),
    context,
    signal,
  );
  return { grants: [...grants, ...findEnvironmentGrants(config, context.environment)], refusals };
}

export interface EntryOfRun {
  readonly server: ServerSettings;
  readonly settings: MergedSettings;
  /** Names of stored secrets that fill inputs of the entry. */
  readonly secrets: readonly string[];
}

/**
 * Returns the grants that a registry entry needs, and its forbidden settings. Ignores settings that a flag
 * overrides.
 */
export async function demandsOfEntry(
  { server, settings, secrets }: EntryOfRun,
  context: DemandContext,
  signal: AbortSignal,
): Promise<Demands> {
  const { container, remote } = settings;
  const use = {
    server,
    usesPermissions: container?.profile.from === 'registry',
    usesNetworkMode: container?.network.from === 'registry',
    url: remote?.url,
    login: remote?.entryAuth ?? {},
    secrets,
    volumes: (container?.entryVolumes ?? [])
      .filter(({ author }) => author === 'entry')
      .map(({ text }) => text),
  };
  const { grants, refusals } = await resolveDemands(
    (addressesOf) => findEntryDemands(use, consentFacts(context, settings.name.value, addressesOf)),
    context,
    signal,
  );
  // A registry entry may not use credentials from environment variables, because the user may have set them
  // for another server.
  const variables = findEnvironmentGrants(remotePart(settings), context.environment);
  return { grants, refusals: [...refusals, ...variables.map(refuseVariable)] };
}

function refuseVariable({ setting, subject, destination = '' }: Grant): Refusal {
  const found = `the variable ${subject}, whose value would be sent to ${destination}`;
  const because = 'it may be meant for another server: unset it, or give the value with a flag';
  return { setting, found, because };
}

/**
 * Returns the remote server's settings that decide which credentials from the environment Portolan would send
 * to the server.
 */
function remotePart({ remote }: MergedSettings): RunConfig {
  const given = (value: string | undefined, key: string) => (value === undefined ? {} : { [key]: value });
  if (remote === undefined) return createRunConfig({});
  const { auth, clientSecret, bearerToken } = remote;
  return createRunConfig({
    remote_url: remote.url,
    header_forward: remote.headers.value,
    remote_auth_config: {
      ...remote.entryAuth,
      ...given(clientSecret, 'client_secret'),
      ...given(bearerToken, 'bearer_token'),
      ...given(auth.remoteAuthBearerTokenFile?.value, 'bearer_token_file'),
      ...given(auth.remoteAuthClientSecretFile?.value, 'client_secret_file'),
    },
    ...(auth.remoteCredentials?.value === undefined
      ? {}
      : { remote_credentials: { type: auth.remoteCredentials.value } }),
  });
}
