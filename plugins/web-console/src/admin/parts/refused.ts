import type { ApiResponse } from '@portolan/plugin-api';
import { h } from 'preact';
import type { PageContent, View } from '../../layout/view.ts';
import { refusal } from '../../layout/refused-page.ts';
import { type ErrorResponse, said } from './api-responses.ts';
import { roleOf } from './manage-links.ts';

/** Renders a refusal with the status and message of the API, and reveals nothing else. */
export function refused(view: Pick<View, 'at' | 'visitor' | 'request'>, response: ApiResponse): PageContent {
  const { error = 'The request was refused.', code, hint, requestId } = said<ErrorResponse>(response);
  const role = code === 'ERR_ROLE_MISSING' ? roleOf(view.request.path) : undefined;
  return {
    status: response.status,
    title: titleOf(response.status),
    body: [
      h('h1', {}, titleOf(response.status)),
      refusal(view, {
        lead: `${error.charAt(0).toUpperCase()}${error.slice(1)}`,
        // Hints about API calls do not help the visitor of a page.
        hint:
          role === undefined
            ? hint
            : `This page requires the role ${role}. Ask the operator of this server for it.`,
        offersLogin: response.status === 401,
        reference: [code, requestId].filter((part) => part !== undefined).join(' · '),
      }),
    ],
  };
}

function titleOf(status: number): string {
  if (status === 401) return 'Log in to see this';
  if (status === 403) return 'You may not see this';
  if (status === 404) return 'There is nothing here';
  return status >= 500 ? 'This did not work' : 'This cannot be done';
}
