import type { Parameter } from './parameter.ts';

/** Pattern without white space and control characters, which no stored name has. */
const VISIBLE = '^[^\\s\\p{Cc}]+$';

export const registryName = {
  required: true,
  called: 'The name of the registry',
  description: 'Name of the registry.',
  expected: 'a name of at most 255 characters, without white space',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: VISIBLE },
} as const satisfies Parameter;

/** Name of a server: two parts with exactly one slash, each with letters or digits at both ends. */
export const serverName = {
  required: true,
  called: 'The name of the server',
  description: 'Full name of the server, with its slash as `%2F`.',
  expected: 'a server name of at most 200 characters such as com.acme/notes, with its slash as %2F',
  schema: {
    type: 'string',
    minLength: 3,
    maxLength: 200,
    pattern: '^[A-Za-z0-9](?:[A-Za-z0-9.\\-]*[A-Za-z0-9])?/[A-Za-z0-9](?:[A-Za-z0-9._\\-]*[A-Za-z0-9])?$',
    examples: ['com.acme/notes'],
  },
} as const satisfies Parameter;

export const version = {
  required: true,
  called: 'The version',
  description: 'An exact version, or `latest`.',
  expected: 'latest or a version of at most 255 characters, without white space',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: VISIBLE, examples: ['latest', '1.0.0'] },
} as const satisfies Parameter;

/**
 * Namespace of a skill or plugin. Documents allow 3 to 128 characters; a shorter namespace is simply not
 * found.
 */
export const namespace = {
  required: true,
  called: 'The namespace',
  description: 'Namespace of the entry.',
  expected: 'a namespace of at most 128 characters, without white space',
  schema: { type: 'string', minLength: 1, maxLength: 128, pattern: '^(?!\\.{1,2}$)[^\\s\\p{Cc}]+$' },
} as const satisfies Parameter;

export const name = {
  required: true,
  called: 'The name of the entry',
  description: 'Name of the entry within its namespace.',
  expected: 'a name of at most 64 characters, without white space and slash',
  schema: { type: 'string', minLength: 1, maxLength: 64, pattern: '^(?!\\.{1,2}$)[^\\s/\\p{Cc}]+$' },
} as const satisfies Parameter;
