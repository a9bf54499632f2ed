import type { AuthorizationServer } from '../discovery/find-authorization-server.ts';

/**
 * Returns whether a client id is a valid address of a metadata document (OAuth Client ID Metadata Document,
 * section 3).
 */
export function isClientDocument(clientId: string): boolean {
  const url = URL.parse(clientId);
  if (url === null || url.protocol !== 'https:' || url.pathname === '/') return false;
  return url.href === clientId && url.hash === '' && url.username === '' && url.password === '';
}

export function takesClientDocuments({ metadata }: AuthorizationServer): boolean {
  return metadata['client_id_metadata_document_supported'] === true;
}
