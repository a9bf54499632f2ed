import type { DocumentSchema } from './document-schema.ts';
import { METADATA_SCHEMA, SUBFOLDER_TEXT, URI } from './shared-parts.ts';

const TEXT = { type: 'string' } as const;

const BUNDLE_PROPERTIES = {
  namespace: { type: 'string', minLength: 3, maxLength: 128, description: 'Reverse-DNS name of the owner.' },
  name: {
    type: 'string',
    minLength: 1,
    maxLength: 64,
    pattern: '^[a-z0-9]([a-z0-9-]*[a-z0-9])?$',
    'x-expected': 'lower-case letters, digits and hyphens, beginning and ending with a letter or digit',
  },
  description: { type: 'string', minLength: 1, maxLength: 1024 },
  version: { type: 'string', minLength: 1, maxLength: 255, description: 'A semantic version, or a commit.' },
  status: { ...TEXT, description: '`active`, `deprecated` or `archived`, in any case.', default: 'active' },
  title: { type: 'string', maxLength: 100 },
  license: { type: 'string', maxLength: 256, description: 'SPDX identifier.' },
  repository: { type: 'object', properties: { url: URI, type: TEXT } },
  icons: {
    type: 'array',
    items: {
      type: 'object',
      required: ['src'],
      properties: { src: TEXT, size: TEXT, type: TEXT, label: TEXT },
    },
  },
  packages: {
    type: 'array',
    items: {
      type: 'object',
      required: ['registryType'],
      properties: {
        registryType: { enum: ['oci', 'git'] },
        identifier: { ...TEXT, description: 'oci: the reference of the artifact.' },
        digest: { ...TEXT, description: 'oci: digest of the content.' },
        mediaType: { ...TEXT, description: 'oci: for information.' },
        url: { ...URI, description: 'git: address of the repository.' },
        ref: { ...TEXT, description: 'git: branch or tag.' },
        commit: { ...TEXT, description: 'git: commit; wins over `ref`.' },
        subfolder: SUBFOLDER_TEXT,
      },
    },
  },
  metadata: { type: 'object', description: 'Free form: what the bundle says of itself.' },
  _meta: METADATA_SCHEMA,
} as const;

const PROVENANCE = {
  type: 'object',
  description: 'Who is expected to have signed the skill. An empty text asks for nothing.',
  additionalProperties: false,
  properties: {
    sigstore_url: TEXT,
    repository_uri: TEXT,
    repository_ref: TEXT,
    signer_identity: TEXT,
    runner_environment: TEXT,
    cert_issuer: TEXT,
    attestation: {
      type: 'object',
      additionalProperties: false,
      properties: { predicate_type: TEXT, predicate: { type: 'object' } },
    },
  },
} as const;

/** Structure of a skill. Objects are open except for `provenance`. */
export const SKILL_SCHEMA: DocumentSchema = {
  title: 'Skill',
  description: 'One version of an agent skill. The registry holds pointers, no content.',
  type: 'object',
  required: ['namespace', 'name', 'description', 'version'],
  properties: {
    ...BUNDLE_PROPERTIES,
    compatibility: {
      type: 'string',
      maxLength: 500,
      description: 'What the skill needs of its environment.',
    },
    allowedTools: { type: 'array', items: TEXT, uniqueItems: true },
    provenance: PROVENANCE,
  },
};

/** Structure of a plugin: a skill's without `compatibility`, `allowedTools` and `provenance`. */
export const PLUGIN_SCHEMA: DocumentSchema = {
  title: 'Plugin',
  description: 'One version of a bundle of commands, agents, skills and hooks.',
  type: 'object',
  required: ['namespace', 'name', 'description', 'version'],
  properties: BUNDLE_PROPERTIES,
};
