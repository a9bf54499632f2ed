import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';
import { LIST_TASKS } from '../cedar-config.ts';

/** Configuration of `httpv1`: the `authz_config` of a run config. */
export const decisionPointConfig = {
  type: 'object',
  description: 'What callers of a workload may do, as a service decides that is asked over HTTP.',
  required: ['version', 'type', 'pdp'],
  properties: {
    version: { type: 'string', minLength: 1, description: 'Of this form; `1.0`.', examples: ['1.0'] },
    type: { type: 'string', enum: ['httpv1'], description: 'Who decides.' },
    pdp: {
      type: 'object',
      description: 'The policy decision point, and what it is told.',
      required: ['http', 'claim_mapping'],
      properties: {
        http: {
          type: 'object',
          description: 'Where it is.',
          required: ['url'],
          properties: {
            url: {
              type: 'string',
              format: 'uri',
              description:
                'It is asked at `/decision` below this address, which is https; http for this machine alone (`localhost`, `127.0.0.0/8`, `[::1]`).',
            },
            timeout: {
              type: 'integer',
              minimum: 0,
              maximum: 300,
              default: 30,
              description: 'Seconds that it may take for one decision; 0 is 30.',
            },
            insecure_skip_verify: {
              type: 'boolean',
              default: false,
              description: 'Not to be had: certificates are always checked.',
            },
          },
        },
        claim_mapping: {
          type: 'string',
          enum: ['mpe', 'standard'],
          description:
            'Names of what it is told of callers: `mroles`, `mgroups` and the like, or `roles`, `groups`.',
        },
        list_tasks: LIST_TASKS,
        context: {
          type: 'object',
          default: {},
          description: 'What it is told beside who, what and where.',
          properties: {
            include_args: {
              type: 'boolean',
              default: false,
              description: 'The arguments of calls, under `context.mcp.args`.',
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
