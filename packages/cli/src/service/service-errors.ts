import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for a platform without a supported service manager. */
export function serviceUnsupported(platform: string): PortolanError {
  return new PortolanError('ERR_SERVICE_UNSUPPORTED', 'mistake', `services are not known for ${platform}`, {
    hint: 'have `portolan service run` started when the machine starts',
  });
}

/** Creates the error for a value that the file of a service cannot contain. */
export function serviceValueUnusable(name: string): PortolanError {
  return new PortolanError(
    'ERR_BAD_ARGUMENT',
    'mistake',
    `${name} has a line break or another control character in it`,
    {
      hint: 'the file of a service cannot hold it; set it otherwise, or leave it out',
    },
  );
}
