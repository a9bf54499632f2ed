import type { RegistryReader } from '@portolan/registry';
import { extensionJson } from '../../responses/extension-json.ts';
import { entryNotFound } from '../../steps/access/access-errors.ts';
import { name, namespace, registryName, version } from '../../parameters/path-parameters.ts';
import { pathValues } from '../../steps/read-parameters.ts';
import type { RequestContext } from '../../request/request-state.ts';
import { type Render, render } from '../../steps/serve-cached-page.ts';
import type { ExtensionType } from './list-extension-entries.ts';
import { extensionPath } from './list-extension-versions.ts';
import { readScope } from '../read-scope.ts';

export const extensionVersionPath = { registryName, namespace, name, version };

/** Shows the latest version of a skill or plugin. Throws ERR_ENTRY_NOT_FOUND when it is absent or hidden. */
export function showExtensionEntry(reader: RegistryReader, type: ExtensionType): Render {
  return render('showExtensionEntry', (ctx) =>
    show(ctx, reader, type, { ...pathValues(ctx, extensionPath), version: 'latest' }),
  );
}

/** Shows one version of a skill or plugin. Throws ERR_ENTRY_NOT_FOUND when it is absent or hidden. */
export function showExtensionVersion(reader: RegistryReader, type: ExtensionType): Render {
  return render('showExtensionVersion', (ctx) =>
    show(ctx, reader, type, pathValues(ctx, extensionVersionPath)),
  );
}

async function show(
  ctx: RequestContext,
  reader: RegistryReader,
  type: ExtensionType,
  requested: { readonly namespace: string; readonly name: string; readonly version: string },
): Promise<string> {
  const row = await reader.version(
    readScope(ctx),
    type,
    `${requested.namespace}/${requested.name}`,
    requested.version,
  );
  if (row === undefined) throw entryNotFound();
  return `${extensionJson(row)}\n`;
}
