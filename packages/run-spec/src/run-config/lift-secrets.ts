import type { JsonObject } from '@portolan/plugin-api';
import { memberOf, isJsonObject } from '../document/json-members.ts';
import { findSecretReference, formatSecretReference } from '../parse/secret-reference.ts';
import { mapMemberConfigs } from './members/member-config.ts';
import type { RunConfig } from './run-config.ts';

export interface LiftedSecret {
  readonly name: string;
  readonly value: string;
  /** Place, such as `oidc_config.ClientSecret`. */
  readonly place: string;
}

export interface LiftedConfig {
  /** Run config with references in place of the secrets. */
  readonly config: RunConfig;
  readonly secrets: readonly LiftedSecret[];
}

/** Fields that contain a secret, with the base name under which it is stored. */
const SECRET_FIELDS = [
  { part: 'remote_auth_config', key: 'client_secret', name: 'OAUTH_CLIENT_SECRET', target: 'oauth_secret' },
  { part: 'remote_auth_config', key: 'bearer_token', name: 'BEARER_TOKEN', target: 'bearer_token' },
  { part: 'oidc_config', key: 'ClientSecret', name: 'OIDC_CLIENT_SECRET', target: 'oidc_client_secret' },
  {
    part: 'token_exchange_config',
    key: 'client_secret',
    name: 'TOKEN_EXCHANGE_CLIENT_SECRET',
    target: 'token_exchange_client_secret',
  },
] as const;

/** Matches names of headers whose value is a credential. */
const CREDENTIAL = /^(?:authorization|cookie|x-api-key)$|token|secret|password|passwd|credential|api-?key/i;

/** Returns whether a header's value is a credential, so that it is stored as a secret. */
export function isCredentialHeader(name: string): boolean {
  return CREDENTIAL.test(name);
}

/**
 * Replaces plain-text secrets with references: client secrets, bearer tokens, headers for telemetry
 * collectors, and headers with credentials for remote servers. Idempotent.
 */
export function liftSecrets(config: RunConfig): LiftedConfig {
  const secrets: LiftedSecret[] = [];
  const workload = config.name === '' ? 'workload' : config.name;
  const lifted: RunConfig = {
    ...config,
    ...liftFields(config, workload, secrets),
    ...liftTelemetryHeaders(config, workload, secrets),
    ...liftForwardedHeaders(config, workload, secrets),
    ...liftMembers(config, secrets),
  };
  return { config: lifted, secrets };
}

export function findClearSecrets(config: RunConfig): readonly string[] {
  return liftSecrets(config).secrets.map(({ place }) => place);
}

/** Lifts the secrets of the run configs that members have after planning. */
function liftMembers({ members }: RunConfig, secrets: LiftedSecret[]): Partial<RunConfig> {
  return {
    members: mapMemberConfigs(members, (config, place) => {
      const lifted = liftSecrets(config);
      secrets.push(...lifted.secrets.map((secret) => ({ ...secret, place: `${place}.${secret.place}` })));
      return lifted.config;
    }),
  };
}

function liftFields(config: RunConfig, workload: string, secrets: LiftedSecret[]): Partial<RunConfig> {
  const parts: { [part: string]: object } = {};
  for (const { part, key, name, target } of SECRET_FIELDS) {
    const document = parts[part] ?? config[part];
    const value = memberOf(document, key);
    if (typeof value !== 'string' || value === '' || findSecretReference(value) !== undefined) continue;
    const secretName = `${name}_${workload}`;
    secrets.push({ name: secretName, value, place: `${part}.${key}` });
    parts[part] = { ...document, [key]: formatSecretReference({ name: secretName, target }) };
  }
  // Each object has the type of its field, with one string replaced.
  return parts;
}

function liftTelemetryHeaders(
  { telemetry_config: telemetry }: RunConfig,
  workload: string,
  secrets: LiftedSecret[],
): Partial<RunConfig> {
  const headers = memberOf(telemetry, 'headers');
  if (telemetry === undefined || !isJsonObject(headers)) return {};
  const lifted = Object.entries(headers).map(([header, value]) => {
    if (typeof value !== 'string' || value === '' || findSecretReference(value) !== undefined) {
      return [header, value] as const;
    }
    const name = `OTLP_HEADER_${nameOfHeader(header)}_${workload}`;
    secrets.push({ name, value, place: `telemetry_config.headers.${header}` });
    return [header, formatSecretReference({ name, target: nameOfHeader(header) })] as const;
  });
  const telemetryConfig: JsonObject = { ...telemetry, headers: Object.fromEntries(lifted) };
  return { telemetry_config: telemetryConfig };
}

function liftForwardedHeaders(
  { header_forward: forward }: RunConfig,
  workload: string,
  secrets: LiftedSecret[],
): Partial<RunConfig> {
  if (forward === undefined) return {};
  const plain: [string, string][] = [];
  const fromSecret = Object.entries(forward.add_headers_from_secret);
  for (const [header, value] of Object.entries(forward.add_plaintext_headers)) {
    if (!isCredentialHeader(header) || value === '') {
      plain.push([header, value]);
      continue;
    }
    const name = `HEADER_${nameOfHeader(header)}_${workload}`;
    secrets.push({ name, value, place: `header_forward.add_plaintext_headers.${header}` });
    fromSecret.push([header, name]);
  }
  return {
    header_forward: {
      add_plaintext_headers: Object.fromEntries(plain),
      add_headers_from_secret: Object.fromEntries(fromSecret),
    },
  };
}

function nameOfHeader(header: string): string {
  return header.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_');
}
