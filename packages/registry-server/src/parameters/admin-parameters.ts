import { ENTRY_TYPES } from '@portolan/plugin-api';
import type { Parameter } from './parameter.ts';
import { registryName, version } from './path-parameters.ts';

/** Name of a source. Does not validate the name: a name that no source can have is simply not found. */
export const sourceName = {
  required: true,
  called: 'The name of the source',
  description: 'Name of the source.',
  expected: 'a name of at most 63 characters, without white space',
  schema: { type: 'string', minLength: 1, maxLength: 63, pattern: '^[^\\s\\p{Cc}]+$' },
} as const satisfies Parameter;

/**
 * Schema for the name of a resource to create. The name is validated together with the body, so that all
 * problems are reported at once.
 */
const OF_SOMETHING_NEW = { type: 'string', minLength: 1 } as const;

export const newSourceName = {
  ...sourceName,
  description:
    'Name of the source. A new name has lowercase letters, digits and inner hyphens, at most 63 characters.',
  schema: OF_SOMETHING_NEW,
} as const satisfies Parameter;

export const newRegistryName = {
  ...registryName,
  description:
    'Name of the registry. A new name has letters, digits and inner dots, hyphens and underscores, at most 128 characters.',
  schema: OF_SOMETHING_NEW,
} as const satisfies Parameter;

export const entryType = {
  required: true,
  called: 'The type of the entry',
  description: 'Type of the entry.',
  schema: { type: 'string', enum: ENTRY_TYPES },
} as const satisfies Parameter;

export const entryName = {
  required: true,
  called: 'The name of the entry',
  description:
    'Full name of the entry, with its slash as `%2F`. For skills and plugins the bare name suffices while it is unique.',
  expected: 'a name of at most 256 characters such as com.acme/notes, with its slash as %2F',
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: 256,
    pattern: '^(?!\\.{1,2}$)[^\\s\\p{Cc}]+$',
    examples: ['com.acme/notes'],
  },
} as const satisfies Parameter;

/** A published version; `latest` is not accepted. */
export const exactVersion = {
  ...version,
  description: 'An exact version; `latest` is not accepted.',
  expected: 'a version of at most 255 characters, without white space',
} as const satisfies Parameter;

export const managedSource = {
  description: 'Name of a managed source. Optional when only one is possible.',
  schema: { type: 'string', minLength: 1, maxLength: 63 },
} as const satisfies Parameter;

export const pageLimit = {
  description: 'Maximum number of rows on a page.',
  cap: 1000,
  schema: { type: 'integer', minimum: 1, default: 1000 },
} as const satisfies Parameter;

/** Cursor of the admin lists; opaque to clients. */
export const pageCursor = {
  description: '`metadata.nextCursor` of the previous page.',
  expected: 'metadata.nextCursor of the previous page',
  schema: { type: 'string', maxLength: 4096, pattern: '^[A-Za-z0-9_\\-]+$' },
} as const satisfies Parameter;

export const pageQuery = { limit: pageLimit, cursor: pageCursor };
/**
 * Whether to check without storing. Rejects an empty or misspelt value, which must not cause an actual
 * publish.
 */
export const dryRun = {
  description: 'Runs all checks of the publish and returns its response, but stores nothing.',
  refusesEmpty: true,
  schema: { type: 'boolean', default: false },
} as const satisfies Parameter;

export const managedQuery = { source: managedSource };
/** Whether a sync reads unchanged content too. */
export const full = {
  description: 'Runs a full sync, even when the source reports changes or its data is unchanged.',
  schema: { type: 'boolean', default: false },
} as const satisfies Parameter;

/** Whether a sync may remove most entries. Rejects a misspelt value. */
export const acceptRemovals = {
  description: 'Applies the result of the next sync, even when the source loses most of its entries.',
  refusesEmpty: true,
  schema: { type: 'boolean', default: false },
} as const satisfies Parameter;

export const syncQuery = { full, acceptRemovals };
export const publishQuery = { source: managedSource, dryRun };
