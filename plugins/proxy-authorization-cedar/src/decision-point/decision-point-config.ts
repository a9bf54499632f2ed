import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';
import { LIST_TASKS } from '../cedar-config.ts';

/** Schema of `authz_config` in a run config. */
export const decisionPointConfig = {
  type: 'object',
  description: 'What callers of a workload may do, as a service decides over HTTP.',
  required: ['version', 'type', 'pdp'],
  properties: {
    version: { type: 'string', minLength: 1, description: 'Of this form; `1.0`.', examples: ['1.0'] },
    type: { type: 'string', enum: ['httpv1'], description: 'Who decides.' },
    pdp: {
      type: 'object',
      description: 'The policy decision point, and what it receives.',
      required: ['http', 'claim_mapping'],
      properties: {
        http: {
          type: 'object',
          description: 'Address of the decision point.',
          required: ['url'],
          properties: {
            url: {
              type: 'string',
              format: 'uri',
              description:
                'Address that `/decision` is added to. https, or http on this machine (`localhost`, `127.0.0.0/8`, `[::1]`).',
            },
            timeout: {
              type: 'integer',
              minimum: 0,
              maximum: 300,
              default: 30,
              description: 'Timeout of one decision in seconds; 0 means 30.',
            },
            insecure_skip_verify: {
              type: 'boolean',
              default: false,
              description: 'Not supported: certificates are always verified.',
            },
          },
        },
        claim_mapping: {
          type: 'string',
          enum: ['mpe', 'standard'],
          description: 'Member names for callers: `mroles`, `mgroups` and similar, or `roles`, `groups`.',
        },
        list_tasks: LIST_TASKS,
        context: {
          type: 'object',
          default: {},
          description: 'Additional data besides principal, operation and resource.',
          properties: {
            include_args: {
              type: 'boolean',
              default: false,
              description: 'Arguments of calls, under `context.mcp.args`.',
            },
            include_operation: {
              type: 'boolean',
              default: false,
              description: '`feature`, `operation` and `resource_id`, under `context.mcp`.',
            },
          },
        },
      },
    },
  },
} as const satisfies ConfigBlock;

export type DecisionPointConfig = ConfigOf<typeof decisionPointConfig>;
export type DecisionPointSettings = DecisionPointConfig['pdp'];
