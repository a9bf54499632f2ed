import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an address that another program or listener uses. */
export function addressInUse(
  listener: string,
  address: string,
  remedy: string,
  cause: unknown,
): PortolanError {
  return new PortolanError(
    'ERR_ADDRESS_IN_USE',
    'conflict',
    `The address ${address} of the ${listener} listener is in use.`,
    {
      hint: `Stop the program that uses the address, or choose another address with ${remedy}.`,
      cause,
    },
  );
}

/** Creates the error for an address that is not of this machine, or that this user may not use. */
export function addressUnusable(
  listener: string,
  address: string,
  remedy: string,
  cause: unknown,
): PortolanError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new PortolanError(
    'ERR_ADDRESS_UNUSABLE',
    'fault',
    `The ${listener} listener cannot listen at ${address}: ${reason}.`,
    { hint: `Choose another address with ${remedy}.`, cause },
  );
}

/** Creates the error for a malformed listen address. */
export function addressInvalid(found: string): PortolanError {
  return new PortolanError(
    'ERR_BAD_ARGUMENT',
    'mistake',
    `Found ${JSON.stringify(found)}; expected HOST:PORT.`,
    { hint: 'Write for example 127.0.0.1:8080, [::1]:8080, or :8080 for every interface.' },
  );
}
