import { findHeaderFault } from '@portolan/outbound';
import type { ForwardedHeader } from '@portolan/plugin-api';
import { forwardedHeaderInvalid, forwardedHeaderRestricted } from '../errors/backend-errors.ts';

/** Throws ERR_FORWARDED_HEADER_INVALID or ERR_FORWARDED_HEADER_RESTRICTED, without the value. */
export function checkForwardedHeader({ name, value }: ForwardedHeader): void {
  const fault = findHeaderFault(name, value);
  if (fault?.part === 'restricted') throw forwardedHeaderRestricted(name);
  if (fault !== undefined) throw forwardedHeaderInvalid(name, `its ${fault.part} ${fault.because}`);
}
