import type { RegistryAdmin } from '@portolan/registry';
import { sourceEntryObject, sourceObject } from '../responses/admin-json.ts';
import { sendJson } from '../responses/send-json.ts';
import { newSourceName, pageQuery, sourceName, syncQuery } from '../parameters/admin-parameters.ts';
import { revisionTag, writeOptions } from '../request/if-match.ts';
import { pathValues, queryValues } from '../steps/read-parameters.ts';
import { actorOf, bodyOf } from '../request/request-state.ts';
import { type Step, step } from '../request/route.ts';
import type { SourceMaking } from '../request/source-making.ts';
import { addressOf } from './base-url.ts';
import { sendPage } from './send-page.ts';

export const sourcePath = { sourceName };
export const newSourcePath = { sourceName: newSourceName };

/** Lists the available kinds of sources with their settings. */
export function listSourceKinds(making: SourceMaking): Step {
  return step('listSourceKinds', async (ctx) => {
    sendJson(ctx, `${JSON.stringify({ kinds: await making.kinds() })}\n`);
  });
}

/** Lists the sources that the caller may see. */
export function listSources(admin: RegistryAdmin): Step {
  return step('listSources', async (ctx) => {
    const sources = await admin.listSources(actorOf(ctx));
    const shown = sources.map((source) => sourceObject(source, source.status));
    sendJson(ctx, `${JSON.stringify({ sources: shown })}\n`);
  });
}

/** Shows one source with the result of its last sync. Its entity tag is its revision. */
export function showSource(admin: RegistryAdmin): Step {
  return step('showSource', async (ctx) => {
    const source = await admin.getSource(actorOf(ctx), pathValues(ctx, sourcePath).sourceName);
    ctx.set('ETag', revisionTag(source.revision));
    sendJson(ctx, `${JSON.stringify(sourceObject(source, source.status))}\n`);
  });
}

/** Creates or replaces a source. Reports all problems at once. The first sync starts at once. */
export function putSource(admin: RegistryAdmin, making: SourceMaking, publicUrl: string | undefined): Step {
  return step('putSource', async (ctx) => {
    const { sourceName: name } = pathValues(ctx, newSourcePath);
    const definition = await making.check(name, bodyOf(ctx));
    const { created, source } =
      'fault' in definition
        ? await admin.refuseSource(actorOf(ctx), name, definition, writeOptions(ctx))
        : await admin.putSource(actorOf(ctx), name, definition, writeOptions(ctx));
    making.changed();
    ctx.set('ETag', revisionTag(source.revision));
    if (created) ctx.set('Location', addressOf(ctx, publicUrl, `/v1/sources/${encodeURIComponent(name)}`));
    sendJson(ctx, `${JSON.stringify(sourceObject(source))}\n`, created ? 201 : 200);
  });
}

/** Deletes a source with its entries. */
export function deleteSource(admin: RegistryAdmin, making: SourceMaking): Step {
  return step('deleteSource', async (ctx) => {
    await admin.deleteSource(actorOf(ctx), pathValues(ctx, sourcePath).sourceName, writeOptions(ctx));
    making.changed();
    ctx.status = 204;
  });
}

/** Requests a sync of a source as soon as possible. The response does not wait for the sync. */
export function syncSource(admin: RegistryAdmin, making: SourceMaking): Step {
  return step('syncSource', async (ctx) => {
    const { sourceName: name } = pathValues(ctx, sourcePath);
    const { full, acceptRemovals } = queryValues(ctx, syncQuery);
    await admin.requestSync(actorOf(ctx), name, { full, acceptRemovals });
    making.due(name);
    sendJson(ctx, `${JSON.stringify({ status: 'due' })}\n`, 202);
  });
}

/** Lists the entries of a source with their versions and claims. */
export function listSourceEntries(admin: RegistryAdmin): Step {
  return step('listSourceEntries', async (ctx) => {
    const { sourceName: name } = pathValues(ctx, sourcePath);
    await sendPage(ctx, `source ${name}`, pageQuery, async (page) => {
      const { items, next } = await admin.listSourceEntries(actorOf(ctx), name, page);
      return { items: items.map(sourceEntryObject), next };
    });
  });
}
