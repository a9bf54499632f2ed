import type { EntryAddress, RegistryAdmin } from '@portolan/registry';
import { publishedJson, triedJson, versionJson } from '../responses/admin-json.ts';
import { sendJson } from '../responses/send-json.ts';
import { bodyInvalid } from '../errors.ts';
import {
  entryName,
  entryType,
  exactVersion,
  managedQuery,
  publishQuery,
} from '../parameters/admin-parameters.ts';
import { revisionTag, writeOptions } from '../request/if-match.ts';
import { pathValues, queryValues } from '../steps/read-parameters.ts';
import { actorOf, bodyOf, type RequestContext } from '../request/request-state.ts';
import { type Step, step } from '../request/route.ts';
import { unknownKeys } from '../request/unknown-keys.ts';
import { addressOf } from './base-url.ts';
import { claimsOf } from './parse-registry.ts';
import { parseStatusChange } from './parse-status-change.ts';

export const entryPath = { entryType, entryName };
export const entryVersionPath = { entryType, entryName, version: exactVersion };

/** Publishes a version. Responds to a dry run with the result, without storing it. */
export function publishEntry(admin: RegistryAdmin, publicUrl: string | undefined): Step {
  return step('publishEntry', async (ctx) => {
    const { publication } = ctx.state;
    if (publication === undefined)
      throw new TypeError('the step runBeforePublish must come before this action');
    const { dryRun } = queryValues(ctx, publishQuery);
    const row = await admin.publish(actorOf(ctx), publication, { ...writeOptions(ctx), dryRun });
    if (dryRun) return sendJson(ctx, `${triedJson(row)}\n`);
    const path = `/v1/entries/${row.type}/${encodeURIComponent(row.name)}/versions/${encodeURIComponent(row.version)}`;
    ctx.set('Location', addressOf(ctx, publicUrl, path));
    sendJson(ctx, `${publishedJson(row)}\n`, 201);
  });
}

/** Deletes a version permanently. Its version string is free again. */
export function deleteEntryVersion(admin: RegistryAdmin): Step {
  return step('deleteEntryVersion', async (ctx) => {
    const { version } = pathValues(ctx, entryVersionPath);
    await admin.deleteVersion(
      actorOf(ctx),
      entryAddressOf(ctx, entryVersionPath),
      version,
      writeOptions(ctx),
    );
    ctx.status = 204;
  });
}

/** Changes the status of one version (MCP registry API, status of a version). */
export function setVersionStatus(admin: RegistryAdmin): Step {
  return step('setVersionStatus', async (ctx) => {
    const { version } = pathValues(ctx, entryVersionPath);
    const change = { ...parseStatusChange(bodyOf(ctx)), version };
    const [row] = await admin.setStatus(
      actorOf(ctx),
      entryAddressOf(ctx, entryVersionPath),
      change,
      writeOptions(ctx),
    );
    if (row === undefined) throw new TypeError('setStatus must return the changed versions');
    sendJson(ctx, `${versionJson(row)}\n`);
  });
}

/** Changes the status of all versions of an entry. */
export function setEntryStatus(admin: RegistryAdmin): Step {
  return step('setEntryStatus', async (ctx) => {
    const change = parseStatusChange(bodyOf(ctx));
    const address = entryAddressOf(ctx, entryPath);
    const rows = await admin.setStatus(actorOf(ctx), address, change, writeOptions(ctx));
    const key = `${address.type}s`;
    sendJson(ctx, `{"updatedCount":${rows.length},"${key}":[${rows.map(versionJson).join(',')}]}\n`);
  });
}

/** Shows an entry of a managed source to its managers: all versions with their status. */
export function showManagedEntry(admin: RegistryAdmin): Step {
  return step('showManagedEntry', async (ctx) => {
    const { filter } = ctx.state;
    const { revision, ...entry } = await admin.getEntry(actorOf(ctx), entryAddressOf(ctx, entryPath), filter);
    ctx.set('ETag', revisionTag(revision));
    sendJson(ctx, `${JSON.stringify(entry)}\n`);
  });
}

/** Shows the claims that all versions of an entry share. */
export function showEntryClaims(admin: RegistryAdmin): Step {
  return step('showEntryClaims', async (ctx) => {
    const { claims, revision } = await admin.getEntryClaims(actorOf(ctx), entryAddressOf(ctx, entryPath));
    ctx.set('ETag', revisionTag(revision));
    sendJson(ctx, `${JSON.stringify({ claims })}\n`);
  });
}

/**
 * Replaces the claims of all versions of an entry. Removing them requires an explicit empty map: a body
 * without the key, or with a misspelt one, is ERR_BODY_INVALID.
 */
export function setEntryClaims(admin: RegistryAdmin): Step {
  return step('setEntryClaims', async (ctx) => {
    const wrongClaims: string[] = [];
    const body = bodyOf(ctx);
    const claims = claimsOf(body, wrongClaims);
    if ((body['claims'] ?? null) === null) wrongClaims.push('claims is missing.');
    const problems = [
      ...wrongClaims.map((message) => ({ path: 'claims', message })),
      ...unknownKeys(body, ['claims']),
    ];
    if (problems.length > 0) throw bodyInvalid(problems, CLAIMS_HINT);
    const address = entryAddressOf(ctx, entryPath);
    const { revision } = await admin.setEntryClaims(actorOf(ctx), address, claims, writeOptions(ctx));
    ctx.set('ETag', revisionTag(revision));
    ctx.status = 204;
  });
}

const CLAIMS_HINT = 'Send {"claims": {"org": "acme"}}; {"claims": {}} takes all of them away.';

function entryAddressOf(
  ctx: RequestContext,
  table: typeof entryPath | typeof entryVersionPath,
): EntryAddress {
  const { entryType: type, entryName: name } = pathValues(ctx, table);
  const { source } = queryValues(ctx, managedQuery);
  return { type, name, ...(source === undefined ? {} : { source }) };
}
