import { ENTRY_STATUSES, ENTRY_TYPES, ROLES } from '@portolan/plugin-api';
import { OUTCOMES } from '../parameters/audit-parameters.ts';
import type { JsonSchema } from '../request/route.ts';

const text = { type: 'string' } as const;
const time = { type: 'string', format: 'date-time' } as const;
const map = { type: 'object', additionalProperties: true } as const;
const entryType = { type: 'string', enum: ENTRY_TYPES } as const;
const names = { type: 'array', items: text } as const;

const claims = {
  type: 'object',
  description: 'Claims that a caller must hold: names, each with a string or a list of strings.',
  additionalProperties: { anyOf: [text, names] },
} as const;

const metadata = { $ref: '#/components/schemas/ListMetadata' } as const;

const versionFields = {
  version: text,
  title: text,
  description: text,
  status: text,
  createdAt: time,
  updatedAt: time,
} as const;

export const ADMIN_SCHEMAS = {
  Source: {
    type: 'object',
    required: ['name', 'type', 'sourceType', 'creationType', 'sourceConfig', 'createdAt', 'updatedAt'],
    properties: {
      name: text,
      type: { ...text, description: 'Its kind.' },
      sourceType: { ...text, description: 'Same as `type`.' },
      creationType: { type: 'string', enum: ['CONFIG', 'API'] },
      sourceConfig: { ...map, description: 'Settings of the kind, without secrets.' },
      filterConfig: map,
      allowShrink: { type: 'boolean', description: 'Left out where it is false.' },
      syncSchedule: { ...text, description: 'Time between two syncs.', examples: ['30m0s'] },
      claims,
      syncStatus: { $ref: '#/components/schemas/SyncStatus' },
      createdAt: time,
      updatedAt: time,
    },
  },
  SyncStatus: {
    type: 'object',
    required: ['phase', 'serverCount', 'skillCount', 'pluginCount', 'message'],
    properties: {
      phase: { type: 'string', enum: ['complete', 'syncing', 'failed', 'held'] },
      lastSyncTime: time,
      lastAttempt: time,
      lastGoodTime: time,
      revision: {
        type: 'string',
        description:
          'Revision of the last sync in the terms of the source, such as the commit of a Git repository.',
      },
      attemptCount: { type: 'integer' },
      serverCount: { type: 'integer' },
      skillCount: { type: 'integer' },
      pluginCount: { type: 'integer' },
      skippedCount: { type: 'integer' },
      skipped: {
        type: 'array',
        items: { type: 'object', properties: { skipped: text, because: text } },
        description: 'First hundred skipped entries, with reasons.',
      },
      warningCount: { type: 'integer' },
      warnings: {
        type: 'array',
        items: { type: 'object', properties: { entry: text, warning: text } },
        description: 'First hundred faults of entries that are served anyway.',
      },
      message: text,
    },
  },
  SourceList: listOf('sources', 'Source'),
  SourceKind: {
    type: 'object',
    required: ['kind', 'claimsFrom', 'viaApi', 'needsInterval', 'schema'],
    properties: {
      kind: text,
      claimsFrom: {
        type: 'string',
        enum: ['source', 'entry', 'publisher'],
        description: 'Where entries get their claims from; `publisher`: from the publish request.',
      },
      viaApi: { type: 'boolean', description: 'Whether a source of it may be made through the API.' },
      needsInterval: {
        type: 'boolean',
        description:
          'Whether each source of the kind needs a `syncPolicy`; with some kinds only sources whose settings can change do.',
      },
      schema: {
        ...map,
        description:
          'JSON Schema of the settings. Fields with `writeOnly` may be secret; the API rejects secrets in them.',
      },
    },
  },
  SourceKindList: listOf('kinds', 'SourceKind'),
  SyncDue: { type: 'object', required: ['status'], properties: { status: { const: 'due' } } },
  SourceEntryList: pageOf({
    entryType: text,
    name: text,
    claims,
    versions: { type: 'array', items: { type: 'object', properties: versionFields } },
  }),
  Registry: {
    type: 'object',
    required: ['name', 'creationType', 'sources', 'createdAt', 'updatedAt'],
    properties: {
      name: text,
      creationType: { type: 'string', enum: ['CONFIG', 'API'] },
      sources: { ...names, description: 'In order of precedence, highest first.' },
      claims,
      public: { const: true, description: 'Readable without a token.' },
      publicClaims: claims,
      createdAt: time,
      updatedAt: time,
    },
  },
  RegistryDefinitionList: listOf('registries', 'Registry'),
  RegistryEntryList: pageOf({
    entryType: text,
    name: text,
    ...versionFields,
    claims,
    sourceName: text,
    position: { type: 'integer', minimum: 0 },
  }),
  ManagedEntry: {
    type: 'object',
    required: ['type', 'name', 'source', 'claims', 'versions'],
    properties: {
      type: entryType,
      name: text,
      source: text,
      claims,
      versions: {
        type: 'array',
        items: {
          type: 'object',
          properties: { ...versionFields, statusMessage: text, isLatest: { type: 'boolean' } },
        },
        description: 'Highest version first, including withdrawn versions.',
      },
    },
  },
  AuditEventList: {
    type: 'object',
    required: ['events', 'metadata'],
    properties: {
      events: {
        type: 'array',
        items: {
          type: 'object',
          required: ['id', 'at', 'type', 'outcome', 'method', 'path', 'status', 'roles'],
          properties: {
            id: { type: 'integer', description: 'Counts up from 1 in each process.' },
            at: time,
            type: { ...text, description: 'Event type, as in the audit log.' },
            outcome: { type: 'string', enum: OUTCOMES },
            method: text,
            path: { ...text, description: 'Beginning of the path, without the query.' },
            status: { type: 'integer' },
            because: { ...text, description: 'Reason of the outcome, in one word.' },
            subject: text,
            user: text,
            roles: names,
            provider: text,
            remoteAddress: text,
            requestId: text,
            durationMs: { type: 'number' },
            responseBytes: { type: 'integer' },
          },
        },
        description: 'Newest first.',
      },
      metadata: {
        type: 'object',
        required: ['count', 'replica', 'since', 'most', 'kept', 'forgotten'],
        properties: {
          count: { type: 'integer' },
          replica: { ...text, description: 'Random ID of the responding process, drawn at its start.' },
          since: { ...time, description: 'Start time of the process.' },
          most: { type: 'integer', description: 'How many it remembers at most.' },
          kept: { type: 'integer', description: 'How many it remembers now.' },
          forgotten: { type: 'integer', description: 'How many it has forgotten.' },
          nextBefore: { type: 'integer', description: '`before` of the next page; not there on the last.' },
        },
      },
    },
  },
  PublishedEntry: {
    ...map,
    description:
      'The server document as stored; a skill or plugin also with `id`, `isLatest`, `createdAt` and `updatedAt`.',
  },
  TriedPublication: {
    type: 'object',
    required: ['dryRun', 'status', 'type', 'name', 'version', 'source', 'claims', 'isLatest', 'entry'],
    properties: {
      dryRun: { const: true },
      status: { type: 'integer', description: 'What a publish in earnest would have been answered with.' },
      type: entryType,
      name: text,
      version: text,
      source: { ...text, description: 'Source to which the publish would go.' },
      claims: { ...claims, description: 'Claims that all versions would have.' },
      isLatest: { type: 'boolean' },
      entry: { $ref: '#/components/schemas/PublishedEntry' },
    },
  },
  ChangedVersion: {
    ...map,
    description: 'A server as consumers see it; a skill or plugin as a publish returns it.',
  },
  ChangedVersions: {
    type: 'object',
    required: ['updatedCount'],
    properties: {
      updatedCount: { type: 'integer', minimum: 0 },
      servers: { type: 'array', items: map },
      skills: { type: 'array', items: map },
      plugins: { type: 'array', items: map },
    },
  },
  Claims: { type: 'object', required: ['claims'], properties: { claims } },
  ValidationResult: {
    type: 'object',
    required: ['valid', 'issues'],
    properties: {
      valid: { type: 'boolean' },
      issues: {
        type: 'array',
        items: {
          type: 'object',
          required: ['type', 'path', 'message', 'severity', 'reference'],
          properties: {
            type: { type: 'string', enum: ['json', 'schema', 'semantic', 'linter'] },
            path: { ...text, examples: ['packages[0].transport.url'] },
            message: text,
            severity: { type: 'string', enum: ['error', 'warning', 'info'] },
            reference: text,
          },
        },
      },
    },
  },
  AccessExplanation: {
    type: 'object',
    required: ['mode', 'caller', 'roles'],
    properties: {
      mode: { type: 'string', enum: ['full', 'auth-only', 'anonymous'] },
      caller: { anyOf: [map, { type: 'null' }] },
      roles: {
        type: 'array',
        items: {
          type: 'object',
          properties: { role: { type: 'string', enum: ROLES } },
          additionalProperties: true,
        },
      },
      registry: map,
      entry: map,
    },
  },
} as const satisfies Record<string, JsonSchema>;

export const REQUEST_SCHEMAS = {
  SourceDefinition: {
    type: 'object',
    description: 'As an item of `sources` in the configuration, without its name, with exactly one kind.',
    properties: {
      syncPolicy: {
        type: 'object',
        required: ['interval'],
        properties: {
          interval: { ...text, examples: ['30m'] },
          allowShrink: { type: 'boolean', default: false },
        },
      },
      filter: map,
      claims,
    },
    additionalProperties: { type: 'object', description: 'The block of the kind, under its name.' },
  },
  RegistryDefinition: {
    type: 'object',
    required: ['sources'],
    properties: {
      sources: { ...names, minItems: 1, description: 'In order of precedence, highest first.' },
      claims,
    },
    additionalProperties: false,
  },
  Publication: {
    type: 'object',
    description: 'Exactly one of `server`, `skill` and `plugin`.',
    properties: {
      server: { $ref: '#/components/schemas/ServerDocument' },
      skill: map,
      plugin: map,
      claims: {
        ...claims,
        description:
          'Required when authentication is enabled, unless `auth.requireClaims` is false. A superAdmin under full authorization may omit them.',
      },
    },
    additionalProperties: false,
  },
  StatusChange: {
    type: 'object',
    required: ['status'],
    properties: {
      status: { type: 'string', enum: ENTRY_STATUSES, description: '`archived` is for skills and plugins.' },
      statusMessage: { type: ['string', 'null'], maxLength: 500 },
    },
    additionalProperties: false,
  },
  Document: { ...map, description: 'A bare `server.json`, or the body of a publish request.' },
  AccessQuestion: {
    type: 'object',
    properties: {
      registry: text,
      entry: {
        type: 'object',
        required: ['type', 'name'],
        properties: { type: entryType, name: text },
        additionalProperties: false,
      },
      caller: {
        type: 'object',
        description: 'Another caller, given by the claims of their token; for superAdmins.',
        required: ['claims'],
        properties: { claims: map },
        additionalProperties: false,
      },
    },
    additionalProperties: false,
  },
} as const satisfies Record<string, JsonSchema>;

function listOf(key: string, item: string): JsonSchema {
  const items = { type: 'array', items: { $ref: `#/components/schemas/${item}` } };
  return { type: 'object', required: [key], properties: { [key]: items } };
}

function pageOf(properties: JsonSchema): JsonSchema {
  return {
    type: 'object',
    required: ['entries', 'metadata'],
    properties: { entries: { type: 'array', items: { type: 'object', properties } }, metadata },
  };
}
