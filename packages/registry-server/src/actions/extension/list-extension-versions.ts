import type { RegistryReader } from '@portolan/registry';
import { extensionJson } from '../../responses/extension-json.ts';
import { listJson } from '../../responses/list-json.ts';
import { entryNotFound } from '../../steps/access/access-errors.ts';
import { name, namespace, registryName } from '../../parameters/path-parameters.ts';
import { pathValues } from '../../steps/read-parameters.ts';
import { type Render, render } from '../../steps/serve-cached-page.ts';
import { EXTENSION_KEYS, type ExtensionType } from './list-extension-entries.ts';
import { readScope } from '../read-scope.ts';

export const extensionPath = { registryName, namespace, name };

/** Lists versions, newest first. Throws ERR_ENTRY_NOT_FOUND when none is visible. */
export function listExtensionVersions(reader: RegistryReader, type: ExtensionType): Render {
  return render('listExtensionVersions', async (ctx) => {
    const path = pathValues(ctx, extensionPath);
    const rows = await reader.versions(readScope(ctx), type, `${path.namespace}/${path.name}`);
    if (rows.length === 0) throw entryNotFound();
    return listJson(EXTENSION_KEYS[type], rows, extensionJson);
  });
}
