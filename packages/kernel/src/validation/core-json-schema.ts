import type { ConfigBlock } from '@portolan/plugin-api';
import { authProperties, claimsSchema } from '../config/auth-schema.ts';
import {
  apiSourcesBlock,
  databaseBlock,
  filterBlock,
  REGISTRY_NAME,
  scratchBlock,
  sessionsBlock,
  serverBlock,
  SOURCE_NAME,
  type SOURCE_KEYS,
  syncPolicyBlock,
} from '../config/core-schema.ts';
import { KIND_LISTS, type WorkloadList, WORKLOAD_LISTS } from '../kind-lists/kind-lists.ts';
import type { JsonSchema } from '../config/json-schema.ts';

const SOURCE_NAME_TEXT = 'a name of lower-case letters, digits and inner hyphens, at most 63 characters';
const REGISTRY_NAME_TEXT =
  'a name of letters, digits and inner dots, hyphens and underscores, at most 128 characters';

export interface CoreSchemaParts {
  readonly translate: (block: ConfigBlock) => JsonSchema;
  readonly expecting: (schema: JsonSchema, expected: string) => JsonSchema;
  readonly pluginItem: JsonSchema;
  readonly source: JsonSchema;
  readonly modes: readonly string[];
  readonly auth: JsonSchema;
  readonly middleware: JsonSchema;
  readonly pages: JsonSchema;
  readonly telemetry: ConfigBlock;
  readonly audit: JsonSchema | undefined;
  /** JSON Schema to add to each map of workload settings. Its properties are the blocks of kinds. */
  readonly workload: Readonly<Record<WorkloadList, JsonSchema>>;
}

export function coreSchema(parts: CoreSchemaParts): JsonSchema {
  const { translate, pluginItem, middleware, audit, pages } = parts;
  return {
    type: 'object',
    required: ['sources', 'registries', 'auth'],
    additionalProperties: false,
    properties: {
      $schema: { type: 'string', description: 'Address of this schema, for editors.' },
      plugins: {
        type: 'array',
        description: 'Plugins in addition to the shipped ones: npm names, or paths relative to this file.',
        default: [],
        items: pluginItem,
      },
      sources: {
        type: 'array',
        description: 'Sources of entries.',
        minItems: 1,
        items: sourceSchema(parts),
      },
      registries: {
        type: 'array',
        description: 'Registries that the server serves.',
        minItems: 1,
        items: registrySchema(parts),
      },
      auth: authSchema(parts),
      database: { ...translate(databaseBlock), default: {} },
      server: { ...translate(serverBlock), default: {} },
      telemetry: { ...translate(parts.telemetry), default: {} },
      apiSources: { ...translate(apiSourcesBlock), default: {} },
      scratch: { ...translate(scratchBlock), default: {} },
      sessions: { ...translate(sessionsBlock), default: {} },
      ...(audit === undefined ? {} : { audit }),
      middleware: {
        type: 'object',
        description: 'Middleware of plugins, by the name of its kind.',
        default: {},
        ...middleware,
      },
      pages: {
        type: 'object',
        description: 'Pages for browsers, by the name of their kind. Default: none.',
        default: {},
        ...pages,
      },
      ...workloadProperties(parts),
    },
  };
}

function workloadProperties({ workload }: CoreSchemaParts): JsonSchema {
  return Object.fromEntries(
    WORKLOAD_LISTS.map((key) => [
      key,
      { type: 'object', description: KIND_LISTS[key].workloadKey, ...workload[key] },
    ]),
  );
}

const CLAIMS = 'What a caller has to hold to see it: names, each with a text or a list of texts.';

function authSchema({ expecting, modes, auth }: CoreSchemaParts): JsonSchema {
  const blocks = auth['properties'] as JsonSchema | undefined; // a map of schemas, from compose-schema
  return {
    description: 'Authentication and authorization of callers.',
    type: 'object',
    required: ['mode'],
    additionalProperties: false,
    ...auth,
    properties: { ...authProperties(expecting, modes), ...blocks },
  };
}

function registrySchema(parts: CoreSchemaParts): JsonSchema {
  return {
    type: 'object',
    required: ['name', 'sources'],
    additionalProperties: false,
    properties: {
      name: parts.expecting(
        { type: 'string', pattern: REGISTRY_NAME, description: 'Stands in the addresses of the registry.' },
        REGISTRY_NAME_TEXT,
      ),
      sources: {
        type: 'array',
        minItems: 1,
        items: { type: 'string' },
        description: 'Names of sources. If several have an entry, the first one wins.',
      },
      claims: claimsSchema(parts.expecting, CLAIMS),
      public: {
        type: 'boolean',
        default: false,
        description:
          'Whether it can be read without a token; then it shows entries that `publicClaims` satisfy.',
      },
      publicClaims: claimsSchema(
        parts.expecting,
        'What readers without a token count as holding. Only with `public: true`; left out, they see nothing.',
      ),
    },
  };
}

export function sourceSchema(parts: Pick<CoreSchemaParts, 'translate' | 'expecting' | 'source'>): JsonSchema {
  const { translate, expecting, source } = parts;
  const properties: Record<(typeof SOURCE_KEYS)[number], JsonSchema> = {
    name: expecting(
      { type: 'string', pattern: SOURCE_NAME, description: 'Unique among the sources.' },
      SOURCE_NAME_TEXT,
    ),
    syncPolicy: translate(syncPolicyBlock),
    filter: translate(filterBlock),
    claims: claimsSchema(expecting, CLAIMS),
  };
  const kinds = source['properties'] as JsonSchema | undefined; // a map of schemas, from compose-schema
  return { type: 'object', required: ['name'], ...source, properties: { ...properties, ...kinds } };
}

export const pluginMap = {
  required: ['use'],
  additionalProperties: false,
  properties: {
    use: { type: 'string', minLength: 1, description: 'npm name or path.' },
    options: { type: 'object', description: 'Settings of the plugin itself.' },
    override: { type: 'boolean', description: 'Whether its kinds replace shipped ones of the same name.' },
  },
} as const satisfies JsonSchema;
