import { serviceValueUnusable } from './service-errors.ts';

/**
 * Names of variables that determine which workloads exist and how they start. None of them usually contains a
 * secret.
 */
const KEPT: readonly string[] = [
  'PATH',
  'DOCKER_HOST',
  'DOCKER_CONFIG',
  'DOCKER_CONTEXT',
  'DOCKER_CERT_PATH',
  'DOCKER_TLS',
  'DOCKER_TLS_VERIFY',
  'CONTAINER_HOST',
  'PORTOLAN_PODMAN_SOCKET',
  'PORTOLAN_DOCKER_SOCKET',
  'PORTOLAN_COLIMA_SOCKET',
  'XDG_CONFIG_HOME',
  'XDG_STATE_HOME',
  'XDG_DATA_HOME',
  'XDG_CACHE_HOME',
  'PORTOLAN_CONFIG',
  'PORTOLAN_DATA_DIR',
  'PORTOLAN_DEFAULT_REGISTRY',
  'PORTOLAN_GATEWAY_IMAGE',
  'PORTOLAN_REGISTRY_TOKEN_FILE',
  'PORTOLAN_RUNTIME',
  'PORTOLAN_SECRETS_PROVIDER',
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'ALL_PROXY'].flatMap((name) => [name, name.toLowerCase()]),
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
];

export interface ServiceEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** Names of variables that may contain a password, which the service's file must not store. */
  readonly leftOut: readonly string[];
}

/**
 * Selects the environment variables for a service, which does not run in the user's shell. Throws
 * ERR_BAD_ARGUMENT.
 */
export function serviceEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): ServiceEnvironment {
  const variables: Record<string, string> = {};
  const leftOut: string[] = [];
  for (const name of KEPT) {
    const value = environment[name];
    if (value === undefined || value === '') continue;
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    if (/[\u0000-\u001f\u007f]/.test(value)) throw serviceValueUnusable(name);
    if (mayHoldPassword(name, value)) leftOut.push(name);
    else variables[name] = value;
  }
  return { variables, leftOut };
}

/**
 * Returns whether a value may contain a password. Proxy addresses may lack a scheme; `ssh://me@host` has no
 * password.
 */
function mayHoldPassword(name: string, value: string): boolean {
  return /_proxy$/i.test(name) ? value.includes('@') : /^[a-z][a-z0-9+.-]*:\/\/[^@]*:[^@]*@/i.test(value);
}
