import { memberOf } from '@portolan/entry-format';
import type { EntryType, ResourceClaims } from '@portolan/plugin-api';
import type { Outcome, ServerClient } from './server-client.ts';
import { serverAnswerUnusable } from './server-errors.ts';

/** A version of an entry, as it is to be published. */
export interface Publication {
  readonly type: EntryType;
  readonly document: unknown;
  readonly claims: ResourceClaims | undefined;
  /** Name of the managed source; undefined leaves it to the server. */
  readonly source: string | undefined;
}

/** Publishes a version, or hands over why the server does not take it. Throws what `send` throws. */
export async function publishEntry(client: ServerClient, publication: Publication): Promise<Outcome> {
  const { source } = publication;
  return await client.send({ method: 'POST', path: PATH, query: { source }, body: bodyOf(publication) });
}

/**
 * The same, judged as the publish would be, and nothing kept; `requireDryRuns`
 * asks before whether the server knows what that is. Throws ERR_REGISTRY_RESPONSE
 * for an answer without the sign of a dry run.
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
