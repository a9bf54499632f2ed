import type { Navigation } from '../layout/view.ts';
import { allowedRoles } from './parts/allowed-roles.ts';
import { administrationLink } from './parts/manage-links.ts';

/** The way from every page to the first page of administration that the visitor may use. */
export const adminNavigation: Navigation = async (view) => administrationLink(await allowedRoles(view));
