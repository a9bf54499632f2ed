import { type ClientMessage, type ClientRequest, isJsonObject, type MadeRefusal } from '@portolan/plugin-api';
import { cut, envelope, MAX_AGENT_CHARACTERS, plain, toLine } from '../audit-line.ts';
import { maskText } from '../mask-text.ts';
import { describeRequestData } from '../request-data.ts';
import type { ProxyEventType } from './proxy-events.ts';
import { delegationOf, proxySubjectsOf } from './proxy-subjects.ts';
import { proxyTargetOf } from './proxy-target.ts';

const MAX_ERROR_CHARACTERS = 256;
/** Maximum size of recorded data in characters. Larger data is replaced by its size, without parsing it. */
const MAX_READ_CHARACTERS = 4 * 1024 * 1024;

export interface ProxyLineOptions {
  readonly component: string;
  /** Name of the server in its registry. */
  readonly backend: string;
  readonly includeRequestData: boolean;
  readonly includeResponseData: boolean;
  readonly maxDataSize: number;
  readonly maxDelegationDepth: number;
  readonly trustsProxyHeaders: boolean;
  readonly clock: () => Date;
}

export interface RecordedResponse {
  readonly error: { readonly code: unknown; readonly message: unknown } | undefined;
  /** Recorded data as JSON; undefined when it is not recorded. */
  readonly text: string | undefined;
  readonly bytes: number;
}

/** Data about one message, or about a request without messages. */
export interface CallRecord {
  readonly id: string;
  readonly at: Date;
  readonly type: ProxyEventType;
  readonly request: ClientRequest;
  /** Message as the server receives it. */
  readonly message: ClientMessage | undefined;
  /** Message as the client sent it. */
  readonly original: ClientMessage | undefined;
  /** Result of the call; undefined for the record of its start. */
  readonly ending:
    | {
        readonly status: number;
        readonly durationMs: number;
        readonly responseBytes: number | undefined;
        readonly isStream: boolean;
        readonly refusal: MadeRefusal | undefined;
        readonly response: RecordedResponse | undefined;
      }
    | undefined;
}

/** Formats a line, which never contains a token, a query or a line break. */
export function formatProxyLine(record: CallRecord, options: ProxyLineOptions): string {
  const { id, at, type, request, ending } = record;
  const delegation = delegationOf(request.caller?.claims, options.maxDelegationDepth);
  const data = dataOf(record, options);
  return toLine({
    ...envelope(type, id, at, options.clock()),
    outcome: endOf(record),
    component: options.component,
    source: sourceOf(request, options.trustsProxyHeaders),
    subjects: proxySubjectsOf(request),
    ...(delegation === undefined ? {} : { delegation }),
    target: proxyTargetOf(record),
    ...(ending === undefined ? {} : { metadata: { extra: extraOf(record, ending, options) } }),
    ...(data === undefined ? {} : { data }),
  });
}

function endOf({ ending }: CallRecord): ProxyOutcome {
  if (ending === undefined) return 'begun';
  const { status, refusal, response } = ending;
  return outcomeOf({ status, refusal, hasError: response?.error !== undefined });
}

/**
 * Returns the address of the sender. Forwarded headers count only from a trusted proxy. The last address of
 * `X-Forwarded-For` is the one that the proxy itself saw; clients can forge earlier ones.
 */
function sourceOf({ headers, remoteAddress }: ClientRequest, trustsProxyHeaders: boolean) {
  const forwarded = trustsProxyHeaders
    ? (lastOf(headers['x-forwarded-for']) ?? lastOf(headers['x-real-ip']))
    : undefined;
  const [agent, requestId] = [textOf(headers['user-agent']), textOf(headers['x-request-id'])];
  const extra = {
    ...(agent === undefined ? {} : { user_agent: cut(maskText(agent), MAX_AGENT_CHARACTERS) }),
    ...(requestId === undefined ? {} : { request_id: plain(maskText(requestId)) }),
  };
  const value = forwarded ?? (remoteAddress === '' ? 'unknown' : remoteAddress);
  return { type: 'network', value: plain(maskText(value)), ...(isEmpty(extra) ? {} : { extra }) };
}

function extraOf(
  { request, type }: CallRecord,
  ending: NonNullable<CallRecord['ending']>,
  { backend }: ProxyLineOptions,
) {
  const { status, durationMs, responseBytes, isStream, refusal, response } = ending;
  const error = refusal?.error ?? response?.error;
  const agent = textOf(request.headers['user-agent']);
  return {
    duration_ms: Math.round(durationMs * 1000) / 1000,
    transport: isStream ? 'sse' : 'http',
    status,
    ...(responseBytes === undefined ? {} : { response_size_bytes: responseBytes }),
    backend_name: backend,
    // The only line about a long-lived stream.
    ...(type === 'sse_connection' && agent !== undefined
      ? { user_agent: cut(maskText(agent), MAX_AGENT_CHARACTERS) }
      : {}),
    ...(error === undefined ? {} : errorIn(error)),
    ...(refusal === undefined ? {} : refusedIn(refusal)),
  };
}

function errorIn({ code, message }: { readonly code: unknown; readonly message: unknown }) {
  return {
    ...(typeof code === 'number' ? { jsonrpc_error_code: code } : {}),
    ...(typeof message === 'string'
      ? { jsonrpc_error_message: cut(maskText(message), MAX_ERROR_CHARACTERS) }
      : {}),
  };
}

/** Returns the denial id of a refusal, which the client received too, so that the line can be found by it. */
function refusedIn({ code, error: { data } }: MadeRefusal) {
  const texts = isJsonObject(data)
    ? Object.entries(data).filter((entry): entry is [string, string] => typeof entry[1] === 'string')
    : [];
  const report = Object.fromEntries(
    texts.map(([key, text]) => [plain(maskText(key)), plain(maskText(text))]),
  );
  return { refused_with: code, ...(isEmpty(report) ? {} : { refusal: report }) };
}

function dataOf({ message, ending }: CallRecord, options: ProxyLineOptions): object | undefined {
  const { includeRequestData, includeResponseData } = options;
  const response = ending?.response?.text;
  const data = {
    ...(includeRequestData && message !== undefined ? { request: shownData(message.text, options) } : {}),
    ...(includeResponseData && response !== undefined ? { response: shownData(response, options) } : {}),
  };
  return isEmpty(data) ? undefined : data;
}

function shownData(text: string, { maxDataSize }: ProxyLineOptions): unknown {
  if (text.length > MAX_READ_CHARACTERS) return `[${Buffer.byteLength(text)} bytes]`;
  return describeRequestData(Buffer.from(text), { includeClaimValues: true, maxDataSize });
}

function lastOf(header: string | readonly string[] | undefined): string | undefined {
  const last = textOf(header)?.split(',').at(-1)?.trim();
  return last === '' ? undefined : last;
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  const text = typeof header === 'string' ? header : header?.join(', ');
  return text === '' ? undefined : text;
}

function isEmpty(value: object): boolean {
  return Object.keys(value).length === 0;
}

/**
 * Outcome of a message. `begun` means that it is about to be forwarded; another line with the same id reports
 * the end.
 */
export type ProxyOutcome = 'begun' | 'success' | 'denied' | 'failure' | 'error' | 'application_error';

interface Ending {
  /** HTTP status; 0 when the client disconnected before the response. */
  readonly status: number;
  readonly refusal: MadeRefusal | undefined;
  /** Whether the response is a JSON-RPC error. */
  readonly hasError: boolean;
}

/**
 * Returns the outcome of a call. The status of a refusal decides, because its HTTP response may be 200: a
 * policy denied the message for any status except 429 and 5xx.
 */
export function outcomeOf({ status, refusal, hasError }: Ending): ProxyOutcome {
  if (refusal === undefined && status >= 200 && status < 300)
    return hasError ? 'application_error' : 'success';
  const decided = refusal?.status ?? status;
  if (decided === 401 || decided === 403 || decided === 415) return 'denied';
  if (decided >= 500) return 'error';
  return refusal?.code === 'ERR_POLICY_REFUSED' && decided !== 429 ? 'denied' : 'failure';
}
