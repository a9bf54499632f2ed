import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for a platform without a supported service manager. */
export function serviceUnsupported(platform: string): PortolanError {
  return new PortolanError(
    'ERR_SERVICE_UNSUPPORTED',
    'mistake',
    `services are not supported on ${platform}`,
    {
      hint: 'configure the machine to run `portolan service run` when it starts',
    },
  );
}

/** Creates the error for a value that the file of a service cannot contain. */
export function serviceValueUnusable(name: string): PortolanError {
  return new PortolanError(
    'ERR_BAD_ARGUMENT',
    'mistake',
    `${name} contains a line break or another control character`,
    {
      hint: 'set another value, or unset the variable',
    },
  );
}
