import { listOf, memberOf, textOf } from '@portolan/entry-format';
import { serverAnswerUnusable, type ServerClient } from '@portolan/registry-client';

/** A caller's identity on a registry server. */
export interface CallerSeen {
  readonly subject: string;
  readonly roles: readonly string[];
  /** Names of the registries that the caller may read. */
  readonly registries: readonly string[];
}

/** Requests the caller's identity from the server. Throws the errors of the request. */
export async function askWhoIAm(client: ServerClient): Promise<CallerSeen> {
  const { body } = await client.ask({ method: 'GET', path: '/v1/me' });
  const subject = textOf(body, 'subject');
  if (subject === undefined) throw serverAnswerUnusable('GET /v1/me', 'JSON without "subject"');
  return { subject, roles: textsIn(body, 'roles'), registries: namesIn(body) };
}

function textsIn(body: unknown, key: string): readonly string[] {
  return listOf(body, key).filter((item) => typeof item === 'string');
}

/** Returns the names; the server sends each registry as a name or as an object with one. */
function namesIn(body: unknown): readonly string[] {
  return listOf(body, 'registries').flatMap((item) => {
    const name = typeof item === 'string' ? item : memberOf(item, 'name');
    return typeof name === 'string' ? [name] : [];
  });
}
