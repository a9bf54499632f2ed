import { PortolanError } from '@portolan/plugin-api';

/** The endpoint is no address. `check` has said so already, where it was asked. */
export function endpointInvalid(expected: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', 'The endpoint of the collector cannot be used.', {
    hint: `Expected ${expected}.`,
  });
}
