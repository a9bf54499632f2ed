import { findImageReference, placeOfImage } from '@portolan/outbound';

/**
 * Returns the server's name without tag, digest and version, because consent covers every version. Keeps the
 * program of a package, because another program of that package is a different server.
 */
export function nameServer(text: string): string {
  const [, scheme, name] = /^([a-z][a-z0-9+.-]*:\/\/)(.*)$/s.exec(text) ?? [];
  if (scheme !== undefined && name !== undefined)
    return `${scheme}${name.replace(/(?<=.)@[^@/#]*(?=#|$)/, '')}`;
  const image = findImageReference(text);
  return image === undefined ? text : placeOfImage(image).name;
}
