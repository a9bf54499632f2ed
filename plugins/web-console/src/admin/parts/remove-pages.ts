import type { PageRoute } from '@portolan/plugin-api';
import { type ComponentChildren, h, type VNode } from 'preact';
import type { ConsoleParts, NavigationItem, PageContent } from '../../layout/view.ts';
import { actions, postForm, submitButton } from '../forms/form.ts';
import { NO_PROBLEMS, type Problems, problemsOf, problemSummary } from '../forms/problems.ts';
import { formOf, revisionOf } from '../forms/read-form.ts';
import { leadTo, type ManageView, managePage } from './manage-page.ts';
import { refused } from './refused.ts';

export interface Removal {
  readonly what: 'source' | 'registry';
  /** Path of the pages, with one route parameter. */
  readonly path: string;
  readonly parameter: string;
  readonly pageOf: (name: string, page?: '/remove') => string;
  readonly inApi: (name: string) => string;
  readonly list: NavigationItem;
  readonly consequence: string;
  /** Returns what blocks the removal, such as registries that still use the source. */
  readonly obstacle?: (view: ManageView, name: string) => Promise<ComponentChildren>;
}

/** Returns the page that asks for confirmation of a removal, and the route that removes. */
export function removePages(parts: ConsoleParts, removal: Removal): readonly PageRoute[] {
  const { what, path, parameter, inApi, list } = removal;
  const ask = async (view: ManageView): Promise<PageContent> => {
    const name = view.request.parameters[parameter] ?? '';
    const response = await view.api({ path: inApi(name) });
    if (response.status !== 200) return refused(view, response);
    return await questionPage(view, removal, { name, revision: response.headers['etag'] ?? '' }, NO_PROBLEMS);
  };
  const remove = async (view: ManageView) => {
    const form = formOf(view);
    const name = view.request.parameters[parameter] ?? '';
    const response = await view.api({ method: 'DELETE', path: inApi(name), headers: revisionOf(form) });
    if (response.status === 204) return leadTo(view, list.path, `${what}-removed`);
    if (response.status !== 409 && response.status !== 412) return refused(view, response);
    const problems = problemsOf(response, { fieldOf: () => undefined });
    const now = await view.api({ path: inApi(name) });
    return await questionPage(
      view,
      removal,
      { name, revision: now.headers['etag'] ?? '' },
      problems,
      response.status,
    );
  };
  return [
    managePage(
      parts,
      { path, name: `${what}RemovalPage`, summary: `Asks for confirmation before a ${what} is removed.` },
      ask,
    ),
    managePage(
      parts,
      { method: 'POST', path, name: `${what}RemovalForm`, summary: `Removes a ${what}.` },
      remove,
    ),
  ];
}

async function questionPage(
  view: ManageView,
  { what, list, pageOf, consequence, obstacle }: Removal,
  { name, revision }: { readonly name: string; readonly revision: string },
  problems: Problems,
  status = 200,
): Promise<PageContent> {
  const inTheWay = await obstacle?.(view, name);
  const back = (text: string): VNode => h('a', { class: 'button quiet', href: view.at(pageOf(name)) }, text);
  const [heading, body] =
    inTheWay === undefined
      ? [
          `Remove the ${what} ${name}?`,
          [
            h('p', {}, consequence),
            postForm(
              view,
              { path: pageOf(name, '/remove'), label: `Remove the ${what}`, revision },
              problemSummary(problems),
              actions(submitButton('Remove it', undefined, 'danger'), back('Keep it')),
            ),
          ],
        ]
      : [`The ${what} ${name} is in use`, [inTheWay, actions(back('Back'))]];
  return {
    status,
    title: `Remove ${what} ${name}`,
    trail: [list, { path: pageOf(name), text: name }],
    body: [h('h1', {}, heading), body],
  };
}
