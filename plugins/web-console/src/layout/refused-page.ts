import type { ApiResponse } from '@portolan/plugin-api';
import { type ComponentChildren, h, type VNode } from 'preact';
import { mapOf, textOf } from '../responses/json-value.ts';
import type { PageContent, View } from './view.ts';
import { nothing } from './parts-of-pages.ts';

/** Returns the page for an error status of the API. Hidden and missing resources look the same. */
export function refusedPage(
  view: View,
  { status, json }: ApiResponse,
  what: string,
  notes?: ComponentChildren,
): PageContent {
  const { error, hint } = mapOf(json);
  const isHidden = status === 401 || status === 403 || status === 404;
  return {
    status,
    title: titleOf(status),
    trail: [{ path: '/', text: 'Registries' }],
    body: h(
      'div',
      { class: 'inner' },
      h('h1', null, titleOf(status)),
      refusal(view, {
        lead:
          status === 401
            ? `Log in to see whether ${what} exists here.`
            : isHidden
              ? `There is nothing here under the name of ${what}, or it is not open to you.`
              : (textOf(error) ?? 'The server could not respond.'),
        hint: textOf(hint),
        offersLogin: isHidden,
        reference: `Request ${view.request.requestId}`,
      }),
      notes,
    ),
  };
}

export function refusal(
  { at, visitor: { loginPath } }: Pick<View, 'at' | 'visitor'>,
  details: {
    readonly lead: string;
    readonly hint: string | undefined;
    /** Whether to offer a login, where the server has one. */
    readonly offersLogin: boolean;
    /** Reference by which an operator finds the request. */
    readonly reference: string;
  },
): VNode {
  return nothing(
    details.lead,
    details.hint === undefined ? null : h('p', null, details.hint),
    details.offersLogin && loginPath !== undefined
      ? h('p', null, h('a', { class: 'button', href: at(loginPath) }, 'Log in'))
      : null,
    h('p', null, h('a', { href: at('/') }, 'All registries that are open to you')),
    h('p', { class: 'quiet' }, details.reference),
  );
}

function titleOf(status: number): string {
  if (status === 401) return 'Log in to see this';
  if (status === 403 || status === 404) return 'Nothing here';
  return status === 400 ? 'That makes no sense to the server' : 'That did not work';
}
