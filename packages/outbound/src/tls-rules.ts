import type { FetchOptions } from '@portolan/plugin-api';
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls';
import { authoritiesInvalid, clientCertificateInvalid } from './errors.ts';

export interface TlsRules {
  readonly secureContext?: SecureContext;
  readonly rejectUnauthorized?: false;
}

/** Creates the TLS options of a fetch. Throws ERR_AUTHORITIES_INVALID and ERR_NAMED_FILE. */
export async function tlsOf({
  ca,
  clientCertificate,
  verifiesServer = true,
}: FetchOptions): Promise<TlsRules> {
  const trusted = ca === undefined ? undefined : await authoritiesWith(ca);
  const isPlain = trusted === undefined && clientCertificate === undefined;
  return {
    ...(isPlain ? {} : { secureContext: secureContextOf(trusted, clientCertificate) }),
    ...(verifiesServer ? {} : { rejectUnauthorized: false }),
  };
}

/** Creates the context once per fetch, because reading all default roots takes longer than a handshake. */
function secureContextOf(
  trusted: readonly string[] | undefined,
  shown: FetchOptions['clientCertificate'],
): SecureContext {
  try {
    return createSecureContext({
      ...(trusted === undefined ? {} : { ca: [...trusted] }),
      ...(shown === undefined ? {} : { cert: shown.certificate, key: shown.key }),
    });
  } catch (cause) {
    throw clientCertificateInvalid(cause);
  }
}

async function authoritiesWith(ca: string): Promise<readonly string[]> {
  const { X509Certificate } = await import('node:crypto');
  const blocks = ca.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    // createSecureContext silently skips unreadable certificates.
    for (const block of blocks) void new X509Certificate(block);
  } catch (cause) {
    throw authoritiesInvalid('it contains an invalid certificate', cause);
  }
  if (blocks.length === 0) throw authoritiesInvalid('it contains no certificate');
  return [...getCACertificates('default'), ...blocks];
}
