import type { JsonSchema } from '../request/route.ts';
import { ADMIN_SCHEMAS, REQUEST_SCHEMAS } from './admin-schemas.ts';

const BODIES = { ...REQUEST_SCHEMAS, Claims: ADMIN_SCHEMAS.Claims };

export function requestSchemaOf(name: keyof typeof BODIES): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}
