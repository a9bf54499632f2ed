import type { PageRoute } from '@portolan/plugin-api';
import type { ConsoleParts } from '../../layout/view.ts';
import { formOf } from '../forms/read-form.ts';
import { leadTo, managePage } from '../parts/manage-page.ts';
import { refused } from '../parts/refused.ts';
import { sourceInApi, sourcePath } from './source-paths.ts';

export function syncSource(parts: ConsoleParts): PageRoute {
  const route = {
    method: 'POST',
    path: '/manage/sources/{sourceName}/sync',
    name: 'syncSourceForm',
    summary: 'Starts a sync of a source.',
  } as const;
  return managePage(parts, route, async (view) => {
    const form = formOf(view);
    const { sourceName = '' } = view.request.parameters;
    const query = form.has('full') ? { full: 'true' } : {};
    const response = await view.api({ method: 'POST', path: `${sourceInApi(sourceName)}/sync`, query });
    return response.status === 202
      ? leadTo(view, sourcePath(sourceName), 'sync-due')
      : refused(view, response);
  });
}
