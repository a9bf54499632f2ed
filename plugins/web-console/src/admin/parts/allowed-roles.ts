import { type PageRequest, ROLES, type Role } from '@portolan/plugin-api';
import type { ConsoleParts, View } from '../../layout/view.ts';
import type { Visitor } from '../../login/visitor.ts';
import { type CallerAnswer, said } from './api-answers.ts';
import { ForAMinute } from '../../answers/for-a-minute.ts';

/** What is asked for the roles of a visitor. */
export interface RolesView extends Pick<View, 'api'> {
  readonly request: Pick<PageRequest, 'api'>;
  readonly visitor: Pick<Visitor, 'authorization'>;
  readonly parts: { readonly context: Pick<ConsoleParts['context'], 'nowMs'> };
}

/**
 * The roles that the API takes the visitor's requests with: of a superAdmin all; of
 * nobody all where the server identifies nobody, else none. Only links are chosen by
 * them: what may be done is decided by the API at each request.
 */
export function allowedRoles(view: RolesView): Promise<readonly Role[]> {
  const known = ASKED.get(view.request) ?? askRoles(view);
  ASKED.set(view.request, known);
  return known;
}

/** A page and what stands around it ask for the same. */
const ASKED = new WeakMap<RolesView['request'], Promise<readonly Role[]>>();

async function askRoles(view: RolesView): Promise<readonly Role[]> {
  if (view.visitor.authorization === undefined) return (await isOpenToAll(view)) ? ROLES : [];
  const me = await view.api({ path: '/v1/me' });
  if (me.status !== 200) return (await isOpenToAll(view)) ? ROLES : [];
  const { roles } = said<CallerAnswer>(me);
  return roles.includes('superAdmin') ? ROLES : roles;
}

const OPEN = new ForAMinute<boolean>();

/** Whether nobody is asked for a token. */
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
