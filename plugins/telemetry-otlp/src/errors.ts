import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for an invalid endpoint, which `check` normally reports first. */
export function endpointInvalid(expected: string): PortolanError {
  return new PortolanError('ERR_SETTING', 'mistake', 'The endpoint of the collector cannot be used.', {
    hint: `Expected ${expected}.`,
  });
}
