import type { EntryType } from '@portolan/plugin-api';
import type { DocumentSchema } from './document-schema.ts';
import { SERVER_SCHEMA } from './server-schema.ts';
import { PLUGIN_SCHEMA, SKILL_SCHEMA } from './skill-schema.ts';

export const DOCUMENT_SCHEMAS: Readonly<Record<EntryType, DocumentSchema>> = {
  server: SERVER_SCHEMA,
  skill: SKILL_SCHEMA,
  plugin: PLUGIN_SCHEMA,
};
