import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for invalid policies, which `check` normally reports before the start. */
export function policiesUnreadable(fault: string): PortolanError {
  return new PortolanError('ERR_NAMED_FILE', 'mistake', `The policies cannot be used: ${fault}.`, {
    hint: 'Correct them in authz_config, or in the file that --authz-config names.',
  });
}
