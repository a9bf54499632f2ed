import type { JsonObject } from '@portolan/plugin-api';
import {
  type PutCondition,
  putResource,
  type ResourceType,
  type ServerClient,
} from '@portolan/registry-client';
import { isJsonObject } from '@portolan/plugin-api';
import { refusalError } from '../publish/refusal-error.ts';
import { alreadyThere } from './admin-errors.ts';

/**
 * Creates or changes a source or a registry, and returns it as the server stores it. Throws
 * ERR_RESOURCE_EXISTS, and the errors of the request.
 */
export async function putDefinition(
  client: ServerClient,
  type: ResourceType,
  requested: { readonly name: string; readonly definition: JsonObject },
  condition: PutCondition,
): Promise<JsonObject> {
  const outcome = await putResource(client, type, requested, condition);
  if (outcome.ok) return isJsonObject(outcome.reply.body) ? outcome.reply.body : {};
  if (outcome.refusal.status === 412 && condition === 'if-new') throw alreadyThere(type, requested.name);
  throw refusalError(outcome.refusal, client);
}
