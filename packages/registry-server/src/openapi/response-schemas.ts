import type { JsonSchema } from '../request/route.ts';
import { ADMIN_SCHEMAS } from './admin-schemas.ts';
import { CHANGE_SCHEMAS } from './change-schemas.ts';

export const RESPONSE_SCHEMAS = {
  ...ADMIN_SCHEMAS,
  ...CHANGE_SCHEMAS,
  Error: {
    type: 'object',
    description: 'Body of every error response.',
    required: ['error', 'code', 'requestId'],
    properties: {
      error: { type: 'string', description: 'A sentence for people.' },
      code: { type: 'string', pattern: '^ERR_', description: 'Stable, for programs.' },
      requestId: { type: 'string', description: 'Under which the log of the server has the request.' },
      hint: { type: 'string', description: 'What the sender can do about it.' },
      issues: {
        type: 'array',
        items: { type: 'object' },
        description:
          'Problems of a document, as `POST /v1/validate` returns them. For other bodies, each has `path` and `message`, and `hint` when the problem has its own remedy.',
      },
    },
  },
  ServerDocument: {
    type: 'object',
    description: 'The `server.json` as published.',
    required: ['name', 'description', 'version'],
    properties: {
      $schema: { type: 'string', format: 'uri' },
      name: { type: 'string', examples: ['com.acme/notes'] },
      description: { type: 'string' },
      version: { type: 'string', examples: ['1.0.0'] },
      _meta: { type: 'object', description: 'Of the publisher; in answers always there, perhaps empty.' },
    },
    additionalProperties: true,
  },
  OfficialMeta: {
    type: 'object',
    required: ['status', 'statusChangedAt', 'publishedAt', 'updatedAt', 'isLatest'],
    properties: {
      status: { type: 'string', enum: ['active', 'deprecated', 'deleted'] },
      statusMessage: { type: 'string' },
      statusChangedAt: { type: 'string', format: 'date-time' },
      publishedAt: { type: 'string', format: 'date-time' },
      updatedAt: { type: 'string', format: 'date-time' },
      isLatest: { type: 'boolean' },
    },
  },
  OriginMeta: {
    type: 'object',
    description:
      'Mark of the registry that created the version. A registry that syncs it skips versions with its own mark here.',
    required: ['origin'],
    properties: {
      origin: { type: 'string', description: 'Mark of the registry that made it.' },
      via: {
        type: 'array',
        items: { type: 'string' },
        description:
          'Marks of the registries that passed the version on, in order; this registry is the last.',
      },
    },
  },
  VersionMeta: {
    type: 'object',
    required: ['io.modelcontextprotocol.registry/official'],
    properties: {
      'io.modelcontextprotocol.registry/official': { $ref: '#/components/schemas/OfficialMeta' },
      'portolan.dev': { $ref: '#/components/schemas/OriginMeta' },
    },
  },
  ServerResponse: versionOf('server', 'ServerDocument'),
  ExtensionDocument: {
    type: 'object',
    description: 'A skill or a plugin as published.',
    required: ['namespace', 'name', 'description', 'version'],
  },
  SkillVersion: versionOf('skill', 'ExtensionDocument'),
  SkillVersionList: listOf('skills', 'SkillVersion'),
  PluginVersion: versionOf('plugin', 'ExtensionDocument'),
  PluginVersionList: listOf('plugins', 'PluginVersion'),
  ListMetadata: {
    type: 'object',
    required: ['count'],
    properties: {
      count: { type: 'integer', minimum: 0, description: 'Rows on this page.' },
      nextCursor: { type: 'string', description: 'Absent on the last page.' },
    },
  },
  ServerList: listOf('servers', 'ServerResponse'),
  Skill: extensionEntry('A skill as it was published, with its status now.'),
  SkillList: listOf('skills', 'Skill'),
  Plugin: extensionEntry('A plugin as it was published, with its status now.'),
  PluginList: listOf('plugins', 'Plugin'),
  RegistryList: {
    type: 'object',
    required: ['registries'],
    properties: { registries: { type: 'array', items: { $ref: '#/components/schemas/RegistryAddress' } } },
  },
  RegistryAddress: {
    type: 'object',
    required: ['name', 'url'],
    properties: {
      name: { type: 'string' },
      url: { type: 'string', format: 'uri', description: 'What clients are configured with.' },
    },
  },
  Index: {
    type: 'object',
    required: ['name', 'version', 'registries', 'links'],
    properties: {
      name: { type: 'string' },
      version: { type: 'string' },
      registries: { type: 'array', items: { $ref: '#/components/schemas/RegistryAddress' } },
      links: { type: 'object', additionalProperties: { type: 'string', format: 'uri' } },
    },
  },
  Caller: {
    type: 'object',
    required: ['subject', 'roles', 'registries'],
    properties: {
      subject: { type: 'string' },
      roles: { type: 'array', items: { type: 'string' } },
      registries: { type: 'array', items: { type: 'string' } },
    },
  },
  Health: statusObject('healthy'),
  Readiness: {
    type: 'object',
    required: ['status'],
    properties: {
      status: { const: 'ready' },
      warnings: {
        type: 'array',
        description:
          'Functions that fail although the server serves requests, such as writes while the disk is full.',
        items: { type: 'string' },
      },
    },
  },
  Version: {
    type: 'object',
    required: ['version', 'commit', 'build_date', 'node_version', 'platform'],
    properties: {
      version: { type: 'string' },
      commit: { type: 'string' },
      build_date: { type: 'string' },
      node_version: { type: 'string' },
      platform: { type: 'string' },
    },
  },
} as const satisfies Record<string, JsonSchema>;

export function schemaOf(name: keyof typeof RESPONSE_SCHEMAS): JsonSchema {
  return { $ref: `#/components/schemas/${name}` };
}

function listOf(key: string, item: string): JsonSchema {
  return {
    type: 'object',
    required: [key, 'metadata'],
    properties: {
      [key]: { type: 'array', items: { $ref: `#/components/schemas/${item}` } },
      metadata: { $ref: '#/components/schemas/ListMetadata' },
    },
  };
}

function versionOf(key: string, document: string): JsonSchema {
  return {
    type: 'object',
    required: [key, '_meta'],
    properties: {
      [key]: { $ref: `#/components/schemas/${document}` },
      _meta: { $ref: '#/components/schemas/VersionMeta' },
    },
  };
}

function extensionEntry(description: string): JsonSchema {
  return {
    type: 'object',
    description,
    required: ['namespace', 'name', 'description', 'version', 'status'],
    properties: {
      namespace: { type: 'string' },
      name: { type: 'string' },
      description: { type: 'string' },
      version: { type: 'string' },
      status: { type: 'string', enum: ['ACTIVE', 'DEPRECATED', 'ARCHIVED'] },
    },
    additionalProperties: true,
  };
}

function statusObject(status: string): JsonSchema {
  return { type: 'object', required: ['status'], properties: { status: { const: status } } };
}
