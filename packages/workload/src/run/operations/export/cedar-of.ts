import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject, memberOf } from '@portolan/run-spec';

/** The Cedar policies of an `authz_config`, with their settings; undefined where they do not decide. */
export function cedarOf(authz: JsonObject | undefined): JsonObject | undefined {
  // Of a service that decides, policies beside it mean nothing.
  if (authz?.['type'] === 'httpv1') return undefined;
  const cedar = memberOf(authz, 'cedar');
  return isJsonObject(cedar) && Array.isArray(cedar['policies']) ? cedar : undefined;
}
