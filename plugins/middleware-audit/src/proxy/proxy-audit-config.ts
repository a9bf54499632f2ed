import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';
import { auditConfig, DEFAULT_DATA_SIZE } from '../audit-config.ts';
import { FILTERED_EVENTS } from './proxy-events.ts';

const eventType = { type: 'string', enum: FILTERED_EVENTS } as const satisfies ConfigBlock;

/** Content of `--audit-config` and of the field `audit_config` of a run config. */
export const proxyAuditConfig = {
  type: 'object',
  title: 'Record of calls',
  description: 'One line of JSON for every message of a client and every request, refused ones included.',
  properties: {
    enabled: {
      type: 'boolean',
      default: true,
      description: 'Not looked at: whoever names these settings wants them. Files of ToolHive have it.',
    },
    component: {
      type: 'string',
      minLength: 1,
      description: 'What lines say they are from. Left out: the name of the workload.',
      examples: ['payments-mcp'],
    },
    eventTypes: {
      type: 'array',
      items: eventType,
      uniqueItems: true,
      description: 'Only lines of these types. Left out, or empty: all.',
      examples: [['mcp_tool_call', 'mcp_resource_read']],
    },
    excludeEventTypes: {
      type: 'array',
      items: eventType,
      uniqueItems: true,
      description: 'No lines of these types; stronger than `eventTypes`.',
      examples: [['mcp_ping']],
    },
    includeRequestData: {
      type: 'boolean',
      default: false,
      description: 'Adds the message of the client, with secrets masked.',
    },
    includeResponseData: {
      type: 'boolean',
      default: false,
      description: 'Adds the answer, as the client gets it, with secrets masked.',
    },
    detectApplicationErrors: {
      type: 'boolean',
      default: true,
      description: 'Whether an answer that is a JSON-RPC error has an outcome of its own.',
    },
    maxDataSize: {
      type: 'integer',
      minimum: 0,
      maximum: 1_048_576,
      default: DEFAULT_DATA_SIZE,
      description: 'Most bytes of each masked message; the rest is cut off. 0 is the default.',
    },
    maxDelegationDepth: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 10,
      description: 'Most actors of a delegated token that are written down.',
    },
    logFile: {
      type: 'string',
      format: 'path',
      minLength: 1,
      description:
        'File that lines are appended to. Portolan creates it with mode 0600; its folder must exist. A file that is not an audit log is refused. Default: standard output, which is the log of a workload that runs in the background.',
      examples: ['/var/log/portolan/payments.jsonl'],
    },
    maxFileSize: auditConfig.properties.maxFileSize,
    maxFiles: auditConfig.properties.maxFiles,
    failClosed: {
      type: 'boolean',
      default: false,
      description:
        'Whether a call is made only once a line about it stands in the log. While that is not possible, as on a full disk, clients get 503.',
    },
  },
} as const satisfies ConfigBlock;

export type ProxyAuditConfig = ConfigOf<typeof proxyAuditConfig>;
