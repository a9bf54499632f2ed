import type { Navigation } from '../layout/navigation.ts';
import { allowedRoles } from './parts/allowed-roles.ts';
import { manageLinks } from './parts/manage-links.ts';

/** The way from every page to the first page of administration that the visitor may use. */
export const adminNavigation: Navigation = async (view) => {
  const [first] = manageLinks(await allowedRoles(view));
  return first === undefined ? [] : [{ path: first.path, text: 'Administration' }];
};
