/** Prefix of Portolan's own secrets. */
export const SECRET_PREFIX = '__portolan_';
/** Prefix of the reference implementation, whose files may be imported. */
export const FOREIGN_SECRET_PREFIX = '__thv_';

const LOGIN = /^OAUTH_(?:CLIENT_SECRET|ACCESS_TOKEN|REFRESH_TOKEN|REG_TOKEN|CHECK)_/;
const REGISTRY = /^registry-(?:user|default)-/;
const SETTING = /^(?:BEARER_TOKEN|OIDC_CLIENT_SECRET|TOKEN_EXCHANGE_CLIENT_SECRET|OTLP_HEADER|HEADER)_/;
/** Another tool stores build credential files without Portolan's prefix. */
const BUILD = /^BUILD_AUTH_FILE_/;

/** Users neither list nor change Portolan's own secrets. */
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

/** Such a secret must not fill settings of an entry. */
export function isReservedSecret(name: string): boolean {
  return isSystemSecret(name) || isBuildSecret(name) || isWorkloadSecret(name);
}

/** Another tool appends a time and eight hexadecimal digits to a name in use. */
export function isLoginOf(name: string, workload: string): boolean {
  if (workload === '' || !LOGIN.test(name)) return false;
  const rest = name.replace(LOGIN, '');
  return rest.startsWith(workload) && /^(?:[-_][\d-]+[-_][0-9a-f]{8})?$/.test(rest.slice(workload.length));
}

/**
 * Returns the owner of a secret that no file may reference: Portolan, builds, registries, and logins of other
 * workloads.
 */
export function findForeignOwner(name: string, workload: string): string | undefined {
  if (isSystemSecret(name) || isBuildSecret(name) || REGISTRY.test(name)) return 'Portolan itself';
  return LOGIN.test(name) && !isLoginOf(name, workload) ? 'the login of another workload' : undefined;
}
