import { listOf, memberOf, textOf } from '@portolan/entry-format';
import { isPortolanError } from '@portolan/plugin-api';
import {
  type EntryAddress,
  serverAnswerUnusable,
  type ServerClient,
  type ServerReply,
} from '@portolan/registry-client';
import { serverRefused } from '../publish/publish-errors.ts';
import type { AccessReport } from './access-report.ts';

const PATH = '/v1/authz/explain';

/** Asks a running server to explain the client's token. Throws the errors of the request. */
export async function explainFromServer(
  client: ServerClient,
  { registry, entry }: { readonly registry: string | undefined; readonly entry: EntryAddress | undefined },
): Promise<AccessReport> {
  const { body } = await ask(client, { registry, entry });
  if (!isExplanation(body)) throw serverAnswerUnusable(`POST ${PATH}`, 'JSON that is not an explanation');
  return { ...body, providers: body.providers ?? null, notes: body.notes ?? [] };
}

async function ask(client: ServerClient, body: object): Promise<ServerReply> {
  try {
    return await client.ask({ method: 'POST', path: PATH, body });
  } catch (error) {
    // The server's hint names this very command, so replace it.
    if (!isPortolanError(error) || error.hint?.includes('claims explain') !== true) throw error;
    throw serverRefused(error.message, ON_THE_SERVER);
  }
}

const ON_THE_SERVER =
  'get a new token; on the machine with the configuration of the server, `portolan claims explain --config FILE` shows what is wrong with this one';

type Explained = Omit<AccessReport, 'providers' | 'notes'> &
  Partial<Pick<AccessReport, 'providers' | 'notes'>>;

/** Returns whether a response has the parts that are printed; a newer server may send more. */
function isExplanation(body: unknown): body is Explained {
  const entry = memberOf(body, 'entry');
  const registry = memberOf(body, 'registry');
  return (
    typeof memberOf(body, 'mode') === 'string' &&
    Array.isArray(memberOf(body, 'roles')) &&
    listOf(body, 'roles').every(
      (role) => Array.isArray(memberOf(role, 'rules')) && listOf(role, 'rules').every(hasKeys),
    ) &&
    (registry === undefined || hasKeys(registry)) &&
    (entry === undefined ||
      (Array.isArray(memberOf(entry, 'sources')) &&
        listOf(entry, 'sources').every(hasKeys) &&
        isSkipList(memberOf(entry, 'skipped'))))
  );
}

function isSkipList(value: unknown): boolean {
  if (value === undefined) return true;
  const keys = ['source', 'skipped', 'because'];
  return Array.isArray(value) && value.every((skip) => keys.every((key) => textOf(skip, key) !== undefined));
}

function hasKeys(value: unknown): boolean {
  return Array.isArray(memberOf(value, 'keys'));
}
