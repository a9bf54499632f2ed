import { isJsonObject } from '../document/json-members.ts';
import { findSecretReference, formatSecretReference } from '../parse/secret-reference.ts';
import type { Member, Members } from '../members/member.ts';
import { mapMemberConfigs } from './members/member-config.ts';
import type { RunConfig } from './run-config.ts';

/** Fields that may contain secret references, in addition to variables and headers. */
const POLICY_FIELDS = [
  'inline_secrets',
  'remote_auth_config',
  'remote_credentials',
  'oidc_config',
  'token_exchange_config',
  'telemetry_config',
  'session_store_password',
  'validating_webhooks',
  'mutating_webhooks',
  'rate_limit_config',
] as const satisfies readonly (keyof RunConfig)[];

const REFERRING = ['secrets', ...POLICY_FIELDS] as const satisfies readonly (keyof RunConfig)[];

export function renameSecrets(config: RunConfig, renamed: (name: string) => string): RunConfig {
  const { header_forward: headers } = config;
  const parts = REFERRING.map((field) => [field, renameIn(config[field], renamed)] as const);
  const fromSecret = Object.entries(headers?.add_headers_from_secret ?? {});
  return {
    ...config,
    ...(Object.fromEntries(parts) as Pick<RunConfig, (typeof REFERRING)[number]>),
    members: renameInMembers(config.members, renamed),
    header_forward: headers && {
      ...headers,
      add_headers_from_secret: Object.fromEntries(
        fromSecret.map(([header, name]) => [header, renamed(name)]),
      ),
    },
  };
}

function renameInMembers(members: Members, renamed: (name: string) => string): Members {
  const whole = mapMemberConfigs(members, (config) => renameSecrets(config, renamed));
  const each = Object.entries(whole).map(([name, member]) => {
    const { forward_headers_secret: headers, config, ...rest } = member;
    return [
      name,
      {
        ...(renameIn(rest, renamed) as Member),
        ...(headers === undefined
          ? {}
          : {
              forward_headers_secret: Object.fromEntries(
                Object.entries(headers).map(([header, secret]) => [header, renamed(secret)]),
              ),
            }),
        ...(config === undefined ? {} : { config }),
      },
    ] as const;
  });
  return Object.fromEntries(each);
}

export function secretNamesIn(config: RunConfig): readonly string[] {
  const names = new Set<string>();
  renameSecrets(config, (name) => {
    names.add(name);
    return name;
  });
  return [...names];
}

/** Returns the names of the secrets that arguments, the URL and policies use. */
export function policySecretsIn(config: RunConfig): readonly string[] {
  const names = new Set<string>();
  for (const field of POLICY_FIELDS) {
    renameIn(withoutLoginSecrets(config[field]), (name) => {
      names.add(name);
      return name;
    });
  }
  return [...names];
}

/** Removes the secrets of a login. Token renewal looks them up itself, and a login may have ended. */
function withoutLoginSecrets(value: unknown): unknown {
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => !LOGIN_SECRETS.has(key)));
}

const LOGIN_SECRETS: ReadonlySet<string> = new Set([
  'cached_client_secret_ref',
  'cached_access_token_ref',
  'cached_refresh_token_ref',
  'cached_reg_token_ref',
]);

function renameIn(value: unknown, renamed: (name: string) => string): unknown {
  if (typeof value === 'string') {
    const reference = findSecretReference(value);
    return reference === undefined
      ? value
      : formatSecretReference({ ...reference, name: renamed(reference.name) });
  }
  if (Array.isArray(value)) return value.map((item) => renameIn(item, renamed));
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, renameIn(member, renamed)]));
}
