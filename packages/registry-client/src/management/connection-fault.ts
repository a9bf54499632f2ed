import { isPortolanError, type PortolanError } from '@portolan/plugin-api';
import { serverUnreachable } from './server-errors.ts';

const REASONS: ReadonlyMap<string, { readonly reason: string; readonly hint: string }> = new Map([
  [
    'ECONNREFUSED',
    {
      reason: 'nothing listens there',
      hint: 'check host and port, and that the server runs; `portolan serve` answers at 127.0.0.1:8080 by default',
    },
  ],
  ['ENOTFOUND', { reason: 'its name is not known', hint: 'check how the host is written' }],
  ['EAI_AGAIN', { reason: 'names cannot be looked up now', hint: 'check the connection of this machine' }],
  [
    'ECONNRESET',
    { reason: 'the connection was cut', hint: 'try again; what was asked for may have been done' },
  ],
  [
    'UND_ERR_SOCKET',
    { reason: 'the connection was cut', hint: 'try again; what was asked for may have been done' },
  ],
  [
    'UND_ERR_CONNECT_TIMEOUT',
    { reason: 'no connection came about in time', hint: 'check host, port, and firewalls between' },
  ],
]);

/** Codes of Node.js and OpenSSL about an untrusted certificate, or one for another host. */
const CERTIFICATE = /^(?:CERT_|ERR_TLS_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_)/;

/** Converts an error of `fetch`; undefined when it is not a connection error. */
export function connectionFault(origin: string, error: unknown): PortolanError | undefined {
  if (isPortolanError(error) || !(error instanceof TypeError)) return undefined;
  const { cause } = error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const known = REASONS.get(code);
  if (known !== undefined) return serverUnreachable(origin, known.reason, known.hint, error);
  const told = cause instanceof Error && cause.message !== '' ? cause.message : error.message;
  const reason = CERTIFICATE.test(code) ? `its certificate is not trusted (${told})` : told;
  const hint = CERTIFICATE.test(code)
    ? 'name the certificate of its authority with --ca-cert'
    : 'check the address, and what stands between it and this machine';
  return serverUnreachable(origin, reason, hint, error);
}
