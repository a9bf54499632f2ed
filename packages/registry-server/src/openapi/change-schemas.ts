import type { ChangeClass, ComparedPart, Difference, DifferenceKind } from '@portolan/lock';
import type { JsonSchema } from '../request/route.ts';

// The values are not imported, because the server loads `@portolan/lock` with the first comparison.
const CLASSES = ['none', 'note', 'held', 'refused'] as const satisfies readonly ChangeClass[];
const PARTS = ['tools', 'prompts', 'templates', 'server'] as const satisfies readonly ComparedPart[];
const KINDS = [
  'tool',
  'prompt',
  'template',
  'server',
  'instructions',
  'capabilities',
] as const satisfies readonly DifferenceKind[];
const CHANGES = [
  'added',
  'removed',
  'changed',
  'unreadable',
] as const satisfies readonly Difference['change'][];

const text = { type: 'string' } as const;
const changeClass = {
  type: 'string',
  enum: CLASSES,
  description:
    'The reaction of drift protection to the change: `held` hides the item until a user approves it.',
} as const;

export const CHANGE_SCHEMAS = {
  DefinitionChanges: {
    type: 'object',
    description: 'Differences between the definitions that two versions of a server publish.',
    required: ['from', 'to', 'compared', 'class', 'differences', 'more', 'faults'],
    properties: {
      from: {
        anyOf: [{ $ref: '#/components/schemas/ComparedVersion' }, { type: 'null' }],
        description: 'The earlier version; null for the first one.',
      },
      to: { $ref: '#/components/schemas/ComparedVersion' },
      compared: {
        type: 'array',
        items: { type: 'string', enum: PARTS },
        description: 'Parts that both versions publish. Other parts are not compared.',
      },
      class: { ...changeClass, description: 'Highest class of all differences.' },
      differences: { type: 'array', items: { $ref: '#/components/schemas/DefinitionDifference' } },
      more: { type: 'integer', minimum: 0, description: 'Differences beyond the first 1,000.' },
      faults: {
        type: 'array',
        description: 'Unreadable definitions of the earlier version. They do not count as published.',
        items: {
          type: 'object',
          required: ['kind', 'name', 'fault'],
          properties: { kind: text, name: text, fault: text },
        },
      },
    },
  },
  ComparedVersion: {
    type: 'object',
    required: ['version', 'definitions'],
    properties: {
      version: text,
      definitions: {
        type: 'string',
        enum: ['portolan', 'publisher', 'none'],
        description:
          'Where the version publishes its definitions: `portolan` by `portolan publish --with-tools`, `publisher` in `tool_definitions`.',
      },
    },
  },
  DefinitionDifference: {
    type: 'object',
    required: ['kind', 'name', 'change', 'class', 'fields'],
    properties: {
      kind: { type: 'string', enum: KINDS },
      name: { type: 'string', description: 'Name or URI template of the item; empty for other kinds.' },
      change: { type: 'string', enum: CHANGES },
      class: changeClass,
      fields: {
        type: 'array',
        description: 'Changed fields, at most 100. Empty unless `change` is `changed`.',
        items: {
          type: 'object',
          required: ['pointer', 'class'],
          properties: {
            pointer: { type: 'string', description: 'JSON pointer (RFC 6901) into the definition.' },
            class: changeClass,
          },
        },
      },
      looksLike: { type: 'string', description: 'Name of an earlier item that this new one imitates.' },
      fault: { type: 'string', description: 'Why the definition is unreadable.' },
    },
  },
} as const satisfies Record<string, JsonSchema>;
