import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';

/** Schema of the setting for task lists, which both authorizers share. */
export const LIST_TASKS = {
  type: 'boolean',
  description:
    'Whether `tasks/list` is allowed. Callers see only their own tasks that began here and that they may still read. Default: denied.',
} as const satisfies ConfigBlock;

/** Schema of `authz_config` in a run config, and of the file that it was read from. */
export const cedarConfig = {
  type: 'object',
  description: 'What callers of a workload may do, as Cedar policies.',
  required: ['version', 'type', 'cedar'],
  properties: {
    version: { type: 'string', minLength: 1, description: 'Of this form; `1.0`.', examples: ['1.0'] },
    type: { type: 'string', enum: ['cedarv1'], description: 'Who decides.' },
    cedar: {
      type: 'object',
      description: 'The policies, and what they see of callers.',
      required: ['policies'],
      properties: {
        policies: {
          type: 'array',
          minItems: 1,
          items: { type: 'string', minLength: 1 },
          description: 'Cedar policies, one per string.',
        },
        entities_json: {
          type: 'string',
          default: '',
          description:
            'Entities for every decision, as a string with a JSON list. Those of the request override one of the same name.',
        },
        group_claim_name: {
          type: 'string',
          default: '',
          description:
            'Claim that groups are read from first; dots in the name select members of objects. Then `groups`, `roles`, `cognito:groups`.',
        },
        role_claim_name: {
          type: 'string',
          default: '',
          description: 'Another claim whose values are groups.',
        },
        group_entity_type: {
          type: 'string',
          default: 'THVGroup',
          pattern: '^[A-Za-z_][A-Za-z0-9_]*$',
          description: 'Entity type of groups.',
        },
        multi_valued_claims: {
          type: 'array',
          items: { type: 'string', minLength: 1 },
          default: [],
          description:
            'Claims that policies see as one string, `claim_NAME`, and as a set of strings, `claimset_NAME`.',
        },
        list_tasks: LIST_TASKS,
        primary_upstream_provider: {
          type: 'string',
          default: '',
          description: 'Kept for other tools; has no effect.',
        },
      },
    },
    path: {
      type: 'string',
      format: 'path',
      description:
        'File that the policies were read from. It is read again when it changes; without it, the policies of this block apply.',
    },
  },
} as const satisfies ConfigBlock;

export type CedarConfig = ConfigOf<typeof cedarConfig>;
export type CedarSettings = CedarConfig['cedar'];
