import type { ParameterTable } from '../parameters/parameter.ts';
import {
  adminRegistryPath,
  deleteRegistry,
  listRegistryDefinitions,
  listRegistryEntries,
  newRegistryPath,
  putRegistry,
  showRegistryDefinition,
} from '../actions/registries.ts';
import { adminRoutes, NO_CONTENT } from './admin-routes.ts';
import { pageQuery } from '../parameters/admin-parameters.ts';
import { json, type RouteParts } from './route-parts.ts';
import type { Route } from '../request/route.ts';
import { filterAdminEntries } from '../steps/access/filter-entries.ts';

export function registryRoutes(parts: RouteParts): readonly Route[] {
  const { admin, hooks, config } = parts;
  const path = '/v1/registries/{registryName}';
  const at = (place: string, parameters?: ParameterTable) =>
    adminRoutes(parts, 'manageRegistries', 'registries', place, parameters);
  const one = at(path, adminRegistryPath);
  const made = at(path, newRegistryPath);
  return [
    ...at('/v1/registries')({
      method: 'GET',
      name: 'listRegistryDefinitions',
      event: 'registry.list',
      summary: 'List the definitions of the registries that the caller may see.',
      response: json('The registries.', 'RegistryDefinitionList'),
      steps: [listRegistryDefinitions(admin)],
    }),
    ...one({
      method: 'GET',
      name: 'showRegistryDefinition',
      event: 'registry.read',
      summary: 'Show the definition of a registry.',
      response: json('The registry.', 'Registry'),
      refusals: [404],
      steps: [showRegistryDefinition(admin)],
    }),
    ...made({
      method: 'PUT',
      name: 'putRegistry',
      event: 'registry.update',
      eventWhenCreated: 'registry.create',
      summary: 'Create a registry, or replace its definition.',
      body: 'RegistryDefinition',
      response: json('The registry; 201 when it is new.', 'Registry'),
      refusals: [404, 412],
      steps: [putRegistry(admin, config.publicUrl)],
    }),
    ...one({
      method: 'DELETE',
      name: 'deleteRegistry',
      event: 'registry.delete',
      summary: 'Delete a registry; its sources and their entries stay.',
      response: NO_CONTENT,
      refusals: [404, 412],
      steps: [deleteRegistry(admin)],
    }),
    ...at(
      `${path}/entries`,
      adminRegistryPath,
    )({
      method: 'GET',
      name: 'listRegistryEntries',
      event: 'registry.entries.list',
      summary: 'List every version in the sources of a registry, including shadowed ones.',
      query: pageQuery,
      response: json('One page.', 'RegistryEntryList'),
      refusals: [404],
      steps: [filterAdminEntries(hooks), listRegistryEntries(admin)],
    }),
  ];
}
