import type { AccessRecord } from '@portolan/plugin-api';

/** A record of a publish that went well; pass what differs. */
export function accessRecord(overrides: Partial<AccessRecord> = {}): AccessRecord {
  return {
    requestId: 'r-1',
    at: new Date('2026-02-03T10:20:01.500Z'),
    method: 'POST',
    route: '/v1/entries',
    path: '/v1/entries',
    status: 201,
    allowed: true,
    because: 'claims',
    event: 'entry.publish',
    target: { resourceType: 'entry' },
    subject: 'u-1842',
    user: 'Ada',
    provider: 'acme',
    roles: ['manageEntries'],
    registry: undefined,
    remoteAddress: '10.1.4.9:52110',
    forwardedFor: undefined,
    userAgent: 'curl/8.5',
    durationMs: 18.0004,
    responseBytes: 412,
    requestBody: undefined,
    ...overrides,
  };
}

/** The lines of a log as values. Throws when one is not whole. */
export function readLines(text: string): readonly Record<string, unknown>[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
}
