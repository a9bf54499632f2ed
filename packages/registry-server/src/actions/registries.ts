import type { RegistryAdmin } from '@portolan/registry';
import { registryEntryObject, registryObject } from '../responses/admin-json.ts';
import { sendJson } from '../responses/send-json.ts';
import { newRegistryName, pageQuery } from '../parameters/admin-parameters.ts';
import { revisionTag, writeOptions } from '../request/if-match.ts';
import { registryName } from '../parameters/path-parameters.ts';
import { pathValues } from '../steps/read-parameters.ts';
import { actorOf, bodyOf } from '../request/request-state.ts';
import { type Step, step } from '../request/route.ts';
import { addressOf } from './base-url.ts';
import { parseRegistry } from './parse-registry.ts';
import { sendPage } from './send-page.ts';

export const adminRegistryPath = { registryName };
export const newRegistryPath = { registryName: newRegistryName };

/** Lists the definitions of the registries that the caller may see. */
export function listRegistryDefinitions(admin: RegistryAdmin): Step {
  return step('listRegistryDefinitions', async (ctx) => {
    const registries = await admin.listRegistries(actorOf(ctx));
    sendJson(ctx, `${JSON.stringify({ registries: registries.map(registryObject) })}\n`);
  });
}

/** Shows the definition of a registry. Its entity tag is its revision. */
export function showRegistryDefinition(admin: RegistryAdmin): Step {
  return step('showRegistryDefinition', async (ctx) => {
    const registry = await admin.getRegistry(actorOf(ctx), pathValues(ctx, adminRegistryPath).registryName);
    ctx.set('ETag', revisionTag(registry.revision));
    sendJson(ctx, `${JSON.stringify(registryObject(registry))}\n`);
  });
}

/** Creates or replaces a registry. Reports all problems of name, body and sources at once. */
export function putRegistry(admin: RegistryAdmin, publicUrl: string | undefined): Step {
  return step('putRegistry', async (ctx) => {
    const { registryName: name } = pathValues(ctx, newRegistryPath);
    const definition = parseRegistry(name, bodyOf(ctx));
    const { created, registry } =
      'fault' in definition
        ? await admin.refuseRegistry(actorOf(ctx), name, definition, writeOptions(ctx))
        : await admin.putRegistry(actorOf(ctx), name, definition, writeOptions(ctx));
    ctx.set('ETag', revisionTag(registry.revision));
    if (created) ctx.set('Location', addressOf(ctx, publicUrl, `/v1/registries/${encodeURIComponent(name)}`));
    sendJson(ctx, `${JSON.stringify(registryObject(registry))}\n`, created ? 201 : 200);
  });
}

/** Deletes a registry. Its sources and their entries remain. */
export function deleteRegistry(admin: RegistryAdmin): Step {
  return step('deleteRegistry', async (ctx) => {
    const { registryName: name } = pathValues(ctx, adminRegistryPath);
    await admin.deleteRegistry(actorOf(ctx), name, writeOptions(ctx));
    ctx.status = 204;
  });
}

/** Lists every version in every source of a registry, shadowed ones included. */
export function listRegistryEntries(admin: RegistryAdmin): Step {
  return step('listRegistryEntries', async (ctx) => {
    const { registryName: name } = pathValues(ctx, adminRegistryPath);
    await sendPage(ctx, `registry ${name}`, pageQuery, async (page) => {
      const { items, next } = await admin.listRegistryEntries(actorOf(ctx), name, page);
      return { items: items.map(registryEntryObject), next };
    });
  });
}
