import type { ApiAnswer } from '@portolan/plugin-api';
import { h } from 'preact';
import type { PageContent, View } from '../../layout/page.ts';
import { nothing } from '../../layout/parts-of-pages.ts';
import { type ErrorAnswer, said } from './api-answers.ts';

/** A page for what the API refuses: with its status and in its words, and no more than it says. */
export function refused({ at, visitor }: Pick<View, 'at' | 'visitor'>, answer: ApiAnswer): PageContent {
  const { error = 'The request was refused.', code, hint, requestId } = said<ErrorAnswer>(answer);
  const { loginPath } = visitor;
  const mayLogIn = answer.status === 401 && loginPath !== undefined;
  return {
    status: answer.status,
    title: titleOf(answer.status),
    body: [
      h('h1', {}, titleOf(answer.status)),
      nothing(
        `${error.charAt(0).toUpperCase()}${error.slice(1)}`,
        hint === undefined ? undefined : h('p', {}, hint),
        mayLogIn ? h('p', {}, h('a', { class: 'button', href: at(loginPath) }, 'Log in')) : undefined,
        h('p', {}, h('a', { href: at('/') }, 'All registries that are open to you')),
        h('p', { class: 'quiet' }, [code, requestId].filter((part) => part !== undefined).join(' · ')),
      ),
    ],
  };
}

function titleOf(status: number): string {
  if (status === 401) return 'Log in to see this';
  if (status === 403) return 'You may not see this';
  if (status === 404) return 'There is nothing here';
  return status >= 500 ? 'This did not work' : 'This cannot be done';
}
