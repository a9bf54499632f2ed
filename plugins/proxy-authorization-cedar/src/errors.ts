import { PortolanError } from '@portolan/plugin-api';

/** Policies that are none are refused before anything is started; they came here all the same. */
export function policiesUnreadable(fault: string): PortolanError {
  return new PortolanError('ERR_NAMED_FILE', 'mistake', `The policies cannot be used: ${fault}.`, {
    hint: 'Correct them in authz_config, or in the file that --authz-config names.',
  });
}
