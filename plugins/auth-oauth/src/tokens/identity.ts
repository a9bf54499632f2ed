import type { Identity } from '@portolan/plugin-api';
import { freezeJson, type JsonObject, textOf } from '../json.ts';

/** Who verified claims are about; their `sub` is known to be a text. Frozen, as callers remember things by it. */
export function toIdentity(claims: JsonObject, provider: string): Identity {
  const user = textOf(claims['name']) ?? textOf(claims['preferred_username']) ?? textOf(claims['email']);
  return Object.freeze({
    subject: textOf(claims['sub']) ?? '',
    claims: freezeJson(claims),
    ...(user === undefined ? {} : { user }),
    provider,
  });
}
