import { findHeaderFault } from '@portolan/outbound';

/** Headers with credentials of the caller, which belong to the virtual server alone. */
const CREDENTIALS = /^(?:authorization|cookie|cookie2|set-cookie|set-cookie2|proxy-.*)$/i;

/** Headers that say where a request came from. A proxy states them itself. */
const FORWARDED = /^(?:forwarded|x-forwarded(?:-.*)?|x-real-ip|x-client-ip|x-cluster-client-ip|via)$/i;

/** Headers that the connection to the member has of its own. */
const OWN =
  /^(?:mcp-.*|last-event-id|accept|accept-encoding|content-.*|host|connection|keep-alive|te|trailer|upgrade|transfer-encoding|http2-settings|expect)$/i;

/** Returns why a header of a client may not be passed to a member; undefined for a header that may. */
export function findPassedHeaderFault(name: string): string | undefined {
  if (CREDENTIALS.test(name)) return 'it has credentials of the caller';
  if (FORWARDED.test(name)) return 'it says where a request came from';
  if (OWN.test(name)) return 'the connection to the member has a value of its own';
  const fault = findHeaderFault(name, 'x');
  return fault === undefined ? undefined : `it ${fault.because}`;
}
