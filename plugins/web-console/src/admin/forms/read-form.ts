import type { View } from '../../layout/view.ts';

/** Parses a submitted form. The route has already refused POST requests from other sites. */
export function formOf({ request }: Pick<View, 'request'>): URLSearchParams {
  return new URLSearchParams(request.body);
}

/** Returns an `If-Match` header that never matches for a malformed revision. */
export function revisionOf(form: URLSearchParams): Readonly<Record<string, string>> {
  const revision = form.get('revision') ?? '';
  if (revision === '') return {};
  return { 'If-Match': /^"[\w-]{1,128}"$/.test(revision) ? revision : '"outdated"' };
}

/**
 * Returns the name for use in an API path. An empty name becomes a blank, so that the API refuses it together
 * with all other problems.
 */
export function addressable(name: string): string {
  return name === '' ? ' ' : name;
}
