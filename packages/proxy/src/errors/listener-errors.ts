import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for a proxy address that is in use. */
export function proxyPortInUse(address: string, cause: unknown): PortolanError {
  return new PortolanError(
    'ERR_PROXY_PORT_IN_USE',
    'conflict',
    `The address ${address} of the proxy is in use.`,
    {
      hint: 'Choose another port with --proxy-port, or stop the program that listens there.',
      cause,
    },
  );
}

export function proxyAddressUnusable(address: string, cause: Error): PortolanError {
  return new PortolanError(
    'ERR_ADDRESS_UNUSABLE',
    'fault',
    `The proxy cannot listen at ${address}: ${cause.message}.`,
    { hint: 'Choose an address of this machine with --host, and a port above 1023.', cause },
  );
}
