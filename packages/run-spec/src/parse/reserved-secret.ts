/** Prefix of Portolan's own secrets. */
export const SECRET_PREFIX = '__portolan_';
/** Prefix of secrets of the reference implementation, whose run config files may be imported. */
export const FOREIGN_SECRET_PREFIX = '__thv_';

const LOGIN = /^OAUTH_(?:CLIENT_SECRET|ACCESS_TOKEN|REFRESH_TOKEN|REG_TOKEN|CHECK)_/;
const REGISTRY = /^registry-(?:user|default)-/;
const SETTING = /^(?:BEARER_TOKEN|OIDC_CLIENT_SECRET|TOKEN_EXCHANGE_CLIENT_SECRET|OTLP_HEADER|HEADER)_/;
/** Matches secrets in which another tool stores build credential files. */
const BUILD = /^BUILD_AUTH_FILE_/;

/** Returns whether a secret is internal, so that users can neither list nor change it. */
export function isSystemSecret(name: string): boolean {
  return name.startsWith(SECRET_PREFIX) || name.startsWith(FOREIGN_SECRET_PREFIX);
}

export function isBuildSecret(name: string): boolean {
  return BUILD.test(name);
}

export function isLoginSecret(name: string): boolean {
  return LOGIN.test(name);
}

export function isWorkloadSecret(name: string): boolean {
  return LOGIN.test(name) || SETTING.test(name) || REGISTRY.test(name);
}

/**
 * Returns whether a secret is internal or belongs to a workload or build. Such a secret must not fill inputs
 * of a registry entry.
 */
export function isReservedSecret(name: string): boolean {
  return isSystemSecret(name) || isBuildSecret(name) || isWorkloadSecret(name);
}

/**
 * Returns whether a secret belongs to the login of this workload. Other tools append a time and eight
 * hexadecimal digits to a name that is taken.
 */
export function isLoginOf(name: string, workload: string): boolean {
  if (workload === '' || !LOGIN.test(name)) return false;
  const rest = name.replace(LOGIN, '');
  return rest.startsWith(workload) && /^(?:[-_][\d-]+[-_][0-9a-f]{8})?$/.test(rest.slice(workload.length));
}

/**
 * Returns the owner of a secret that a run config file may not reference: Portolan itself, or the login of
 * another workload. Undefined for all other secrets.
 */
export function findForeignOwner(name: string, workload: string): string | undefined {
  if (isSystemSecret(name) || isBuildSecret(name) || REGISTRY.test(name)) return 'Portolan itself';
  return LOGIN.test(name) && !isLoginOf(name, workload) ? 'the login of another workload' : undefined;
}
