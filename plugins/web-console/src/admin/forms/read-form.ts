import type { View } from '../../layout/view.ts';

/** The route has already refused posts from other sites. */
export function formOf({ request }: Pick<View, 'request'>): URLSearchParams {
  return new URLSearchParams(request.body);
}

/** Returns an `If-Match` header that never matches for a malformed revision. */
export function revisionOf(form: URLSearchParams): Readonly<Record<string, string>> {
  const revision = form.get('revision') ?? '';
  if (revision === '') return {};
  return { 'If-Match': /^"[\w-]{1,128}"$/.test(revision) ? revision : '"outdated"' };
}

/** An empty name becomes a blank, which the API also refuses, together with all other problems. */
export function addressable(name: string): string {
  return name === '' ? ' ' : name;
}
