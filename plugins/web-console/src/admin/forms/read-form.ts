import type { View } from '../../layout/view.ts';

/** What a form has sent; what does not come from a page of this server was refused before. */
export function formOf({ request }: Pick<View, 'request'>): URLSearchParams {
  return new URLSearchParams(request.body);
}

/** The revision that a form was made from, as `If-Match` has it; nothing that was put there by others. */
export function revisionOf(form: URLSearchParams): Readonly<Record<string, string>> {
  const revision = form.get('revision') ?? '';
  if (revision === '') return {};
  return { 'If-Match': /^"[\w-]{1,128}"$/.test(revision) ? revision : '"outdated"' };
}

/** A name in an address of the API, which has no place for none: a blank is no name either, and told as such beside the rest. */
export function addressable(name: string): string {
  return name === '' ? ' ' : name;
}
