import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for a member that cannot be reached now. */
export function memberUnavailable(member: string, why: string): PortolanError {
  const what = `The member ${member} is unavailable: ${why}`;
  return new PortolanError('ERR_MEMBER_UNAVAILABLE', 'unavailable', what, {
    publicMessage: what,
    hint: 'Look at the state of each member with `portolan status NAME`, and at its log with `portolan logs NAME --member MEMBER`.',
  });
}
