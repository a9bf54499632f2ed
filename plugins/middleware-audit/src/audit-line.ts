import type { AccessRecord } from '@portolan/plugin-api';
import { LOST_EVENT } from './audit-events.ts';
import { maskText, maskTokens } from './mask-text.ts';
import { describeRequestData, type RequestDataOptions } from './request-data.ts';

export const COMPONENT = 'portolan-registry';

export const MAX_AGENT_CHARACTERS = 512;
/** Maximum length of any other text that a client chooses, in characters. */
const MAX_CHARACTERS = 2048;

export interface LineOptions extends RequestDataOptions {
  readonly includeRequestData: boolean;
}

export interface LineInput {
  readonly record: AccessRecord;
  readonly type: string;
  readonly id: string;
}

/** Number of lines that were dropped before they could be written, and since when. */
export interface LostLines {
  readonly count: number;
  readonly since: Date;
  readonly until: Date;
}

/**
 * The line contains no line break of any script, no control character, no token and no query, for any
 * request.
 */
export function formatAuditLine({ record, type, id }: LineInput, options: LineOptions): string {
  const { requestBody } = record;
  const hasData = options.includeRequestData && requestBody !== undefined && requestBody.byteLength > 0;
  return toLine({
    ...envelope(type, id, record.at),
    outcome: outcomeOf(record.status),
    component: COMPONENT,
    source: sourceOf(record),
    subjects: subjectsOf(record),
    target: targetOf(record),
    metadata: { extra: extraOf(record) },
    ...(hasData ? { data: describeRequestData(requestBody, options) } : {}),
  });
}

/** Formats the line that reports how many lines are missing, and since when. */
export function formatLostLine(
  { count, since, until }: LostLines,
  id: string,
  component = COMPONENT,
): string {
  return toLine({
    ...envelope(LOST_EVENT, id, until),
    outcome: 'error',
    component,
    source: { type: 'local', value: 'audit' },
    subjects: { identity: 'system' },
    target: {},
    metadata: { extra: { lost: count, since: since.toISOString() } },
  });
}

export function envelope(type: string, id: string, at: Date, madeAt = at) {
  return {
    time: madeAt.toISOString(),
    level: 'AUDIT',
    msg: 'audit_event',
    audit_id: id,
    type: plain(type),
    logged_at: at.toISOString(),
  };
}

function outcomeOf(status: number): 'success' | 'denied' | 'failure' | 'error' {
  if (status >= 200 && status < 400) return 'success';
  if (status === 401 || status === 403) return 'denied';
  return status >= 400 && status < 500 ? 'failure' : 'error';
}

function sourceOf({ remoteAddress, forwardedFor, userAgent }: AccessRecord) {
  const extra = {
    ...(forwardedFor === undefined ? {} : { x_forwarded_for: cut(maskText(forwardedFor), MAX_CHARACTERS) }),
    ...(userAgent === undefined ? {} : { user_agent: cut(maskText(userAgent), MAX_AGENT_CHARACTERS) }),
  };
  return { type: 'network', value: remoteAddress === '' ? 'unknown' : remoteAddress, extra };
}

/** Returns the subjects of a line. A failed authentication identifies no caller. */
function subjectsOf({ subject, user, roles, status }: AccessRecord) {
  if (subject === undefined) return { identity: status === 401 ? 'unknown' : 'anonymous' };
  return {
    sub: plain(subject),
    ...(user === undefined ? {} : { user: plain(user) }),
    roles,
    ...(roles.includes('superAdmin') ? { role: 'super_admin' } : {}),
  };
}

function targetOf({ method, path, target, registry }: AccessRecord) {
  const { resourceType, resourceName, registryName = registry, namespace, entryType, version } = target;
  const named = {
    resource_type: resourceType,
    resource_name: resourceName,
    registry_name: registryName,
    namespace,
    entry_type: entryType,
    version,
  };
  const inputs = Object.entries(named).flatMap(([key, text]) =>
    text === undefined ? [] : [[key, plain(text)]],
  );
  return { method: plain(method), path: plain(withoutQuery(path)), ...Object.fromEntries(inputs) };
}

function extraOf(record: AccessRecord) {
  const { requestId, status, durationMs, responseBytes, because, provider, route } = record;
  return {
    request_id: plain(requestId),
    status,
    duration_ms: Math.round(durationMs * 1000) / 1000,
    response_bytes: responseBytes,
    because: plain(because),
    ...(provider === undefined ? {} : { provider: plain(provider) }),
    route: plain(withoutQuery(route)),
  };
}

/** Removes the query, which could contain tokens. */
function withoutQuery(path: string): string {
  return path.replace(/[?#].*$/s, '');
}

export function plain(text: string): string {
  return cut(maskTokens(text), MAX_CHARACTERS);
}

/** Truncates a text. Keeps surrogate pairs together, and removes lone surrogates. */
export function cut(text: string, most: number): string {
  if (text.length <= most) return text.toWellFormed();
  const last = text.charCodeAt(most - 1);
  const isHalf = last >= 0xd8_00 && last <= 0xdb_ff;
  return text.slice(0, isHalf ? most - 1 : most).toWellFormed();
}

/**
 * Matches characters that JSON leaves unescaped although terminals interpret them or readers take them for
 * line ends.
 */
const OBEYED = /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;

export function toLine(value: object): string {
  const line = JSON.stringify(value);
  // Fast path for ASCII, where only DEL matters: a tenth of the work.
  if (Buffer.byteLength(line) === line.length && !line.includes('\u007f')) return line;
  return line.replaceAll(OBEYED, escaped);
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
}
