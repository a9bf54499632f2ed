import { h } from 'preact';
import type { PageContent, View } from '../../layout/page.ts';

/**
 * What a form has sent. A page, to be shown instead, where it was not this server's own page that
 * sent it: another's could otherwise have a visitor do what they do not want.
 */
export function readForm({
  request,
  visitor,
}: Pick<View, 'request' | 'visitor'>): URLSearchParams | PageContent {
  return visitor.isOwnPost ? new URLSearchParams(request.body) : STALE;
}

const STALE: PageContent = {
  status: 403,
  title: 'The form was too old',
  body: [
    h('h1', {}, 'The form was too old'),
    h('p', {}, 'It was not sent from a page of this server that is still valid, so nothing was done.'),
    h('p', {}, 'Go back, load the page again, and send the form from there.'),
  ],
};

/** The revision that a form was made from, as `If-Match` has it; nothing that was put there by others. */
export function revisionOf(form: URLSearchParams): Readonly<Record<string, string>> {
  const revision = form.get('revision') ?? '';
  if (revision === '') return {};
  return { 'If-Match': /^"[\w-]{1,128}"$/.test(revision) ? revision : '"outdated"' };
}
