import type { ParameterTable } from './parameter.ts';

/** Outcomes as the audit log names them. */
export const OUTCOMES = ['success', 'denied', 'failure', 'error'] as const;

export const auditQuery = {
  limit: {
    description: 'Maximum number of events on the page.',
    cap: 1000,
    schema: { type: 'integer', minimum: 1, default: 100 },
  },
  before: {
    description: '`metadata.nextBefore` of the previous page: only events with smaller ids.',
    schema: { type: 'integer', minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
  },
  type: {
    description: 'Only events of this type, such as `entry.publish`.',
    schema: { type: 'string', maxLength: 64 },
  },
  outcome: {
    description: 'Only events with this outcome.',
    schema: { type: 'string', enum: OUTCOMES },
  },
  subject: {
    description: 'Only events of a caller, by subject or name.',
    schema: { type: 'string', maxLength: 256 },
  },
  requestId: {
    description: 'Only the request with this ID, which a response or an error page shows.',
    schema: { type: 'string', maxLength: 128 },
  },
  path: {
    description: 'Only requests whose path contains this text, in any letter case.',
    schema: { type: 'string', maxLength: 256 },
  },
} as const satisfies ParameterTable;
