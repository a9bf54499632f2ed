import type { RunTarget } from '../target/classify-target.ts';
import { formatSecretReference } from '../parse/secret-reference.ts';
import { formatPackage } from '../target/parse-package.ts';
import { normalizeRunConfig } from '../run-config/normalize-run-config.ts';
import { createRunConfig, type RunConfig } from '../run-config/run-config.ts';
import { unreachable } from '../parse/unreachable.ts';
import { containerNameOf } from '../target/workload-name.ts';
import { writePlain } from './plain-settings.ts';
import type { ContainerSettings, MergedSettings, RemoteSettings } from './merged-settings.ts';
import { isJsonObject } from '../document/json-members.ts';
import type { JsonObject } from '@portolan/plugin-api';
import { completeTokenExchange } from '../run-config/token-exchange.ts';

/** Facts that are determined after the settings were merged, such as image and ports. */
export interface SettledFacts {
  readonly target: Exclude<RunTarget, { from: 'file' }>;
  /** Image reference; empty for a remote server. */
  readonly image: string;
  readonly transport: string;
  readonly proxyMode: string;
  readonly proxyPort: number;
  readonly targetPort: number | undefined;
  /** Registry from which the entry was read. */
  readonly registry?: Partial<Pick<RunConfig, 'registry_api_url' | 'registry_url'>>;
}

/**
 * Converts merged settings to a run config. Headers with credentials are still in plain text until
 * `liftSecrets` replaces them.
 */
export function toRunConfig(settings: MergedSettings, facts: SettledFacts): RunConfig {
  const { remote, container } = settings;
  const name = settings.name.value;
  return normalizeRunConfig(
    createRunConfig({
      ...policyPartOf(settings),
      image: facts.image,
      run_target: describeTarget(facts.target),
      name,
      base_name: name,
      transport: facts.transport,
      proxy_mode: facts.proxyMode,
      port: facts.proxyPort,
      target_host: settings.targetHost.value,
      target_port: facts.targetPort ?? 0,
      target_path: settings.carries === 'http' ? (settings.targetPath?.value ?? '') : '',
      cmd_args: settings.args.value,
      env_vars: Object.fromEntries([...settings.environment].map(([key, { value }]) => [key, value])),
      secrets: settings.secrets.value.map(formatSecretReference),
      inline_secrets: settings.inlineSecrets.map(formatSecretReference),
      container_labels: settings.labels.value,
      stdio_sessions:
        settings.carries === 'messages' && facts.target.from !== 'members'
          ? settings.stdioSessions.value
          : '',
      ...(remote === undefined ? {} : remoteFields(remote)),
      ...(container === undefined ? {} : containerFields(container, name)),
      ...(container === undefined || settings.carries === 'messages' ? {} : headerFields(container)),
      ...facts.registry,
      registry_server_name: facts.target.from === 'registry' ? facts.target.server : '',
    }),
  );
}

function remoteFields(remote: RemoteSettings): Partial<RunConfig> {
  const { url, headers, auth, clientSecret, bearerToken } = remote;
  const { remote_auth_config: plain, remote_credentials: credentials } = writePlain(auth);
  const input = {
    ...remote.entryAuth,
    ...(isJsonObject(plain) ? plain : {}),
    ...(clientSecret === undefined ? {} : { client_secret: clientSecret }),
    ...(bearerToken === undefined ? {} : { bearer_token: bearerToken }),
  };
  return {
    remote_url: url,
    header_forward: headers.value,
    ...(Object.keys(input).length === 0 ? {} : { remote_auth_config: input }),
    ...(isJsonObject(credentials) ? { remote_credentials: credentials } : {}),
  };
}

function containerFields(container: ContainerSettings, name: string): Partial<RunConfig> {
  return {
    ...writePlain(container),
    container_name: containerNameOf(name),
    permission_profile: container.profile.profile,
    permission_profile_name_or_path: container.profile.named ?? '',
    isolate_network: container.isolateNetwork.value,
    runtime_config: container.runtime.value,
  };
}

function headerFields({ headers: { value } }: ContainerSettings): Partial<RunConfig> {
  const isEmpty = Object.values<object>({ ...value }).every((part) => Object.keys(part).length === 0);
  return isEmpty ? {} : { header_forward: value };
}

/** Formats a run target; a package includes its resolved version. */
export function describeTarget(target: Exclude<RunTarget, { from: 'file' }>): string {
  switch (target.from) {
    case 'registry':
      return target.server;
    case 'image':
      return target.reference;
    case 'scheme':
      return `${target.scheme}://${formatPackage(target.reference)}`;
    case 'url':
      return target.url.href;
    case 'members':
      return '';
    default:
      return unreachable(target);
  }
}

/** Returns the part of the run config that does not depend on the image: plain settings and policies. */
export function policyPartOf(settings: MergedSettings): Partial<RunConfig> {
  const plain = writePlain(settings);
  const exchange = plain['token_exchange_config'] as JsonObject | undefined;
  return {
    ...plain,
    oidc_config: settings.oidc,
    token_exchange_config: completeTokenExchange(exchange, settings.tokenExchangeSecret?.value),
    ...Object.fromEntries([...settings.policyFields].map(([field, { value }]) => [field, value])),
  };
}
