import { memberOf } from '@portolan/entry-format';
import type { EntryType, ResourceClaims } from '@portolan/plugin-api';
import type { Outcome, ServerClient } from './server-client.ts';
import { serverAnswerUnusable } from './server-errors.ts';

export interface Publication {
  readonly type: EntryType;
  readonly document: unknown;
  readonly claims: ResourceClaims | undefined;
  /** Name of the managed source; undefined leaves the choice to the server. */
  readonly source: string | undefined;
}

/** Returns the server's refusal, if any. Throws like `send`. */
export async function publishEntry(client: ServerClient, publication: Publication): Promise<Outcome> {
  const { source } = publication;
  return await client.send({ method: 'POST', path: PATH, query: { source }, body: bodyOf(publication) });
}

/**
 * Runs all checks without storing anything; call `requireDryRuns` first. Throws ERR_REGISTRY_RESPONSE for a
 * response that is not of a dry run.
 */
export async function tryEntry(client: ServerClient, publication: Publication): Promise<Outcome> {
  const query = { source: publication.source, dryRun: 'true' };
  const outcome = await client.send({ method: 'POST', path: PATH, query, body: bodyOf(publication) });
  if (outcome.ok && memberOf(outcome.reply.body, 'dryRun') !== true)
    throw serverAnswerUnusable(`POST ${PATH}?dryRun=true`, 'no sign of a dry run: it may be published now');
  return outcome;
}

const PATH = '/v1/entries';

function bodyOf({ type, document, claims }: Publication): object {
  return { [type]: document, claims };
}
