import type { Navigation } from '../layout/view.ts';
import { allowedRoles } from './parts/allowed-roles.ts';
import { administrationLink } from './parts/manage-links.ts';

/** Returns a link to the first administration page that the visitor may use. */
export const adminNavigation: Navigation = async (view) => administrationLink(await allowedRoles(view));
