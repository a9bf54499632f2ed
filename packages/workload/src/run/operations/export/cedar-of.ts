import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject, memberOf } from '@portolan/run-spec';

/** Returns the Cedar policies with their settings; undefined when another authorizer decides. */
export function cedarOf(authz: JsonObject | undefined): JsonObject | undefined {
  // With an external service as authorizer, Cedar policies have no effect.
  if (authz?.['type'] === 'httpv1') return undefined;
  const cedar = memberOf(authz, 'cedar');
  return isJsonObject(cedar) && Array.isArray(cedar['policies']) ? cedar : undefined;
}
