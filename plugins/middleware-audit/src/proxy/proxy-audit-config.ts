import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';
import { auditConfig, DEFAULT_DATA_SIZE } from '../audit-config.ts';
import { FILTERED_EVENTS } from './proxy-events.ts';

const eventType = { type: 'string', enum: FILTERED_EVENTS } as const satisfies ConfigBlock;

/** Schema of `--audit-config` and of `audit_config` in a run config. */
export const proxyAuditConfig = {
  type: 'object',
  title: 'Record of calls',
  description: 'One line of JSON for every message of a client and every request, including refused ones.',
  properties: {
    enabled: {
      type: 'boolean',
      default: true,
      description: 'Ignored: the presence of these settings turns auditing on. Files of ToolHive have it.',
    },
    component: {
      type: 'string',
      minLength: 1,
      description: 'Component name in lines. Default: the name of the workload.',
      examples: ['payments-mcp'],
    },
    eventTypes: {
      type: 'array',
      items: eventType,
      uniqueItems: true,
      description: 'Writes only lines of these types. Default, or empty: all.',
      examples: [['mcp_tool_call', 'mcp_resource_read']],
    },
    excludeEventTypes: {
      type: 'array',
      items: eventType,
      uniqueItems: true,
      description: 'Excludes lines of these types. Overrides `eventTypes`.',
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
      description: 'Adds the response, as the client gets it, with secrets masked.',
    },
    detectApplicationErrors: {
      type: 'boolean',
      default: true,
      description: 'Whether a response that is a JSON-RPC error has its own outcome.',
    },
    maxDataSize: {
      type: 'integer',
      minimum: 0,
      maximum: 1_048_576,
      default: DEFAULT_DATA_SIZE,
      description: 'Maximum bytes of each masked message; the rest is cut off. 0 means the default.',
    },
    maxDelegationDepth: {
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 10,
      description: 'Maximum number of actors of a delegated token in a line.',
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
        'Whether a call is made only after its line is in the log. While that is impossible, as on a full disk, clients get 503.',
    },
  },
} as const satisfies ConfigBlock;

export type ProxyAuditConfig = ConfigOf<typeof proxyAuditConfig>;
