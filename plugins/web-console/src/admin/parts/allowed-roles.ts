import { type PageRequest, ROLES, type Role } from '@portolan/plugin-api';
import type { ConsoleParts, View } from '../../layout/view.ts';
import type { Visitor } from '../../login/visitor.ts';
import { type CallerResponse, said } from './api-responses.ts';
import { ForAMinute } from '../../responses/for-a-minute.ts';

export interface RolesView extends Pick<View, 'api'> {
  readonly request: Pick<PageRequest, 'api'>;
  readonly visitor: Pick<Visitor, 'authorization'>;
  readonly parts: { readonly context: Pick<ConsoleParts['context'], 'nowMs'> };
}

/**
 * Returns the roles of the visitor, by which the console chooses links; the API authorizes each request
 * itself. A superAdmin has all roles. On a server without authentication, so has an anonymous visitor.
 */
export function allowedRoles(view: RolesView): Promise<readonly Role[]> {
  const known = ASKED.get(view.request) ?? askRoles(view);
  ASKED.set(view.request, known);
  return known;
}

/** Roles by request, because the page and its navigation both need them. */
const ASKED = new WeakMap<RolesView['request'], Promise<readonly Role[]>>();

async function askRoles(view: RolesView): Promise<readonly Role[]> {
  if (view.visitor.authorization === undefined) return (await isOpenToAll(view)) ? ROLES : [];
  const me = await view.api({ path: '/v1/me' });
  if (me.status !== 200) return (await isOpenToAll(view)) ? ROLES : [];
  const { roles } = said<CallerResponse>(me);
  return roles.includes('superAdmin') ? ROLES : roles;
}

const OPEN = new ForAMinute<boolean>();

export async function isOpenToAll({
  parts,
  request,
}: Pick<RolesView, 'parts' | 'request'>): Promise<boolean> {
  const isOpen = await OPEN.find(
    parts,
    async () => (await request.api({ path: '/v1/sources' }, undefined)).status === 200,
  );
  return isOpen === true;
}
