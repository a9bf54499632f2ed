/** Prefix of the names under which Portolan stores its own secrets. */
export const SECRET_PREFIX = '__portolan_';
/** Prefix of the reference implementation, whose files may be imported. */
export const FOREIGN_SECRET_PREFIX = '__thv_';

const LOGIN = /^OAUTH_(?:CLIENT_SECRET|ACCESS_TOKEN|REFRESH_TOKEN|REG_TOKEN|CHECK)_/;
const REGISTRY = /^registry-(?:user|default)-/;
const SETTING = /^(?:BEARER_TOKEN|OIDC_CLIENT_SECRET|TOKEN_EXCHANGE_CLIENT_SECRET|OTLP_HEADER|HEADER)_/;
/** Files with credentials for builds; also without Portolan's prefix, as another tool stores them. */
const BUILD = /^BUILD_AUTH_FILE_/;

/** Returns whether a secret is Portolan's own: people neither list nor change it. */
export function isSystemSecret(name: string): boolean {
  return name.startsWith(SECRET_PREFIX) || name.startsWith(FOREIGN_SECRET_PREFIX);
}

/** Returns whether the name has the form of a file with credentials for builds. */
export function isBuildSecret(name: string): boolean {
  return BUILD.test(name);
}

/** Returns whether the name has the form of a secret of a login. */
export function isLoginSecret(name: string): boolean {
  return LOGIN.test(name);
}

/** Returns whether Portolan stores secrets of workloads under names of this form. */
export function isWorkloadSecret(name: string): boolean {
  return LOGIN.test(name) || SETTING.test(name) || REGISTRY.test(name);
}

/** Returns whether no setting of an entry may be filled from a stored secret of this name. */
export function isReservedSecret(name: string): boolean {
  return isSystemSecret(name) || isBuildSecret(name) || isWorkloadSecret(name);
}

/**
 * Returns whether the name has the form of a secret of the login of this workload.
 * Another tool appends a time and eight hexadecimal digits to a name that is taken.
 */
export function isLoginOf(name: string, workload: string): boolean {
  if (workload === '' || !LOGIN.test(name)) return false;
  const rest = name.replace(LOGIN, '');
  return rest.startsWith(workload) && /^(?:[-_][\d-]+[-_][0-9a-f]{8})?$/.test(rest.slice(workload.length));
}

/**
 * Returns whose secret this is where no file may name it, or undefined: of Portolan, of
 * builds and registries, or of the login of another workload than the one that the file describes.
 */
export function findForeignOwner(name: string, workload: string): string | undefined {
  if (isSystemSecret(name) || isBuildSecret(name) || REGISTRY.test(name)) return 'Portolan itself';
  return LOGIN.test(name) && !isLoginOf(name, workload) ? 'the login of another workload' : undefined;
}
