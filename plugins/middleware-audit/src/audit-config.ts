import type { ConfigBlock, ConfigOf } from '@portolan/plugin-api';
import { AUDIT_EVENT_TYPES } from './audit-events.ts';

/** Default size of recorded data. `maxDataSize: 0` also means this size. */
export const DEFAULT_DATA_SIZE = 1024;

/** Default number of rotated files to keep. */
export const DEFAULT_FILES = 10;

const eventType = { type: 'string', enum: AUDIT_EVENT_TYPES } as const satisfies ConfigBlock;

export const auditConfig = {
  type: 'object',
  title: 'Audit log',
  description: 'One line of JSON for every request to the public listener, including refused ones.',
  properties: {
    enabled: {
      type: 'boolean',
      default: false,
      description: 'Whether the audit log is on. If not, the rest of this block is ignored.',
    },
    logFile: {
      type: 'string',
      format: 'path',
      minLength: 1,
      description:
        'File that lines are appended to, absolute or relative to the folder of the configuration file. Portolan creates it with mode 0600; its folder must exist. A file that is not an audit log is refused. Default: standard output.',
      examples: ['/var/log/portolan/audit.log'],
    },
    eventTypes: {
      type: 'array',
      items: eventType,
      minItems: 1,
      uniqueItems: true,
      description:
        'Writes only lines of these types. Default: all but `operation` and `request.preflight`, which must be listed explicitly.',
      examples: [['entry.publish', 'entry.delete', 'auth.unauthenticated']],
    },
    excludeEventTypes: {
      type: 'array',
      items: eventType,
      uniqueItems: true,
      description: 'Excludes lines of these types. Overrides `eventTypes`.',
      examples: [['server.list']],
    },
    includeRequestData: {
      type: 'boolean',
      default: false,
      description:
        'Adds the body of the request, with secrets and claim values masked. A body that is not JSON is never shown.',
    },
    includeClaimValues: {
      type: 'boolean',
      default: false,
      description: 'Shows the values of claims in the body of the request; their names are always shown.',
    },
    maxDataSize: {
      type: 'integer',
      minimum: 0,
      maximum: 1_048_576,
      default: DEFAULT_DATA_SIZE,
      description: 'Maximum bytes of the masked body; the rest is cut off. 0 means the default.',
    },
    maxFileSize: {
      type: 'integer',
      minimum: 0,
      default: 0,
      description:
        'Maximum size of the file in bytes. Before a line would exceed it, the file is renamed with the time and the process id appended. 0: never; then use a tool such as logrotate.',
      examples: [104_857_600],
    },
    maxFiles: {
      type: 'integer',
      minimum: 1,
      maximum: 1000,
      description:
        'Number of renamed files to keep; the oldest are removed. Only with `maxFileSize`; default 10.',
    },
  },
} as const satisfies ConfigBlock;

export type AuditConfig = ConfigOf<typeof auditConfig>;
