import { PortolanError } from '@portolan/plugin-api';

/**
 * Creates the error for a forbidden connection to a private address. `address` is what a name in `host`
 * resolved to.
 */
export function addressForbidden(host: string, address?: string): PortolanError {
  const what = address === undefined ? host : `${host} (${address})`;
  return new PortolanError(
    'ERR_ADDRESS_FORBIDDEN',
    'unavailable',
    `The address ${what} is not public, and connections to such addresses are not allowed here.`,
    {
      hint: 'Use a public address, or allow private addresses where this one is configured.',
      // What a name resolves to here must not be revealed to those who choose names.
      publicMessage:
        'The server is at an address that is not public, and connections to such addresses are not allowed here.',
    },
  );
}

/** Creates the error for a connection to a forbidden host. */
export function hostForbidden(host: string): PortolanError {
  return new PortolanError(
    'ERR_ADDRESS_FORBIDDEN',
    'unavailable',
    `Connections to the host ${host} are not allowed here.`,
    { hint: 'Use an allowed host, or ask the operator to add this one to `apiSources.allowedHosts`.' },
  );
}

/** Creates the error for unusable certificate authorities. */
export function authoritiesInvalid(what: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_AUTHORITIES_INVALID',
    'fault',
    `The certificate authorities cannot be used: ${what}.`,
    {
      hint: 'Provide certificates in PEM format: blocks from BEGIN CERTIFICATE to END CERTIFICATE.',
      cause,
    },
  );
}

/** Creates the error for an invalid client certificate or key. Contains neither. */
export function clientCertificateInvalid(cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_NAMED_FILE',
    'mistake',
    'The client certificate cannot be used with its key.',
    { hint: 'Provide a certificate and its own key in PEM format, without a passphrase.', cause },
  );
}

/** Creates the error for an invalid proxy variable. Omits its value, which may contain a password. */
export function proxyInvalid(variable: string): PortolanError {
  return new PortolanError(
    'ERR_PROXY_INVALID',
    'mistake',
    `The variable ${variable} contains no HTTP proxy address.`,
    {
      hint: 'Write it as http://proxy.acme.example:3128, or unset it.',
    },
  );
}

/** Creates the error for a fetch that was used or in progress when it was closed. */
export function fetchClosed(cause?: unknown): PortolanError {
  return new PortolanError('ERR_FETCH_CLOSED', 'unavailable', 'The connections of this fetch are closed.', {
    hint: 'No action is needed while Portolan stops. At another time, report this as a fault of Portolan or of the plugin.',
    cause,
  });
}

/** Creates the error for an invalid entry of `allow_host` in a permission profile. */
export function allowHostInvalid(entry: string, cause?: unknown): PortolanError {
  return new PortolanError('ERR_PERMISSION_PROFILE', 'mistake', `"${entry}" in allow_host is not a host.`, {
    hint: 'Write a name (api.acme.example), a suffix (.acme.example), an address or a CIDR range. Ports belong in allow_port.',
    cause,
  });
}

/** Creates the error for an invalid entry of `allow_port` in a permission profile. */
export function allowPortInvalid(entry: number): PortolanError {
  return new PortolanError(
    'ERR_PERMISSION_PROFILE',
    'mistake',
    `${entry} in allow_port is not a port; expected a whole number from 1 to 65535.`,
    { hint: 'Correct the permission profile.' },
  );
}
