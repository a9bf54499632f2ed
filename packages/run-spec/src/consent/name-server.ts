import { findImageReference, placeOfImage } from '@portolan/outbound';

/**
 * Drops tag, digest and version: consent covers every version. The program of a package stays, because
 * another program is another server.
 */
export function nameServer(text: string): string {
  const [, scheme, name] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/s.exec(text) ?? [];
  if (scheme !== undefined && name !== undefined)
    return `${scheme}${name.replace(/(?<=.)@[^@/#]*(?=#|$)/, '')}`;
  const image = findImageReference(text);
  return image === undefined ? text : placeOfImage(image).name;
}
