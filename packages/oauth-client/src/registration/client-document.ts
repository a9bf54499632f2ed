import type { AuthorizationServer } from '../discovery/find-authorization-server.ts';

/**
 * Whether a client id is the address of a document about the client, which the
 * authorization server fetches itself (OAuth Client ID Metadata Document,
 * section 3): https, with a path, and nothing that two readers could take for
 * two addresses.
 */
export function isClientDocument(clientId: string): boolean {
  const url = URL.parse(clientId);
  if (url === null || url.protocol !== 'https:' || url.pathname === '/') return false;
  return url.href === clientId && url.hash === '' && url.username === '' && url.password === '';
}

/** Whether a server takes such an address for a client. */
export function takesClientDocuments({ metadata }: AuthorizationServer): boolean {
  return metadata['client_id_metadata_document_supported'] === true;
}
