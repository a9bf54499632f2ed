import { listOf, memberOf, textOf } from '@portolan/entry-format';
import { serverAnswerUnusable, type ServerClient } from '@portolan/registry-client';

/** Who somebody is for a registry server. */
export interface CallerSeen {
  readonly subject: string;
  readonly roles: readonly string[];
  /** Names of the registries that are open to them. */
  readonly registries: readonly string[];
}

/** What the server makes of whoever asks. Throws what asking throws. */
export async function askWhoIAm(client: ServerClient): Promise<CallerSeen> {
  const { body } = await client.ask({ method: 'GET', path: '/v1/me' });
  const subject = textOf(body, 'subject');
  if (subject === undefined) throw serverAnswerUnusable('GET /v1/me', 'JSON without "subject"');
  return { subject, roles: textsIn(body, 'roles'), registries: namesIn(body) };
}

function textsIn(body: unknown, key: string): readonly string[] {
  return listOf(body, key).filter((item) => typeof item === 'string');
}

/** A registry is its name, or something that has one. */
function namesIn(body: unknown): readonly string[] {
  return listOf(body, 'registries').flatMap((item) => {
    const name = typeof item === 'string' ? item : memberOf(item, 'name');
    return typeof name === 'string' ? [name] : [];
  });
}
