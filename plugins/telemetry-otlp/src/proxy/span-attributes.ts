import { type Attributes, type ClientRequest, isJsonObject } from '@portolan/plugin-api';
import { type CallFacts, errorTypeOf, networkOf, outcomeStatusOf } from './call-facts.ts';
import { cut, showArguments } from './shown-arguments.ts';

export interface AttributeOptions {
  readonly useLegacyAttributes: boolean;
  /** Attributes of every span, from environment variables. */
  readonly always: Attributes;
}

/** The SDK limits attribute values but not names, and thousands of spans may be queued. */
const MAX_NAME_CHARACTERS = 256;

/** Returns the name of a span: `tools/call forecast` for a message, `POST /mcp` for a request. */
export function spanName(what: string, target?: string): string {
  return cut(target === undefined ? what : `${what} ${target}`, MAX_NAME_CHARACTERS);
}

/** HTTP version of servers with the SSE transport. */
const SSE_PROTOCOL = '1.1';

type AttributeValues = Readonly<Record<string, string | number | boolean | undefined>>;

/**
 * Follows the semantic conventions, and optionally the older names. Includes no header except the user agent
 * and session id, and only the names of query parameters.
 */
export function spanAttributes(
  facts: CallFacts,
  { useLegacyAttributes, always }: AttributeOptions,
): Attributes {
  const both: AttributeValues = { ...httpAttributes(facts), ...mcpAttributes(facts) };
  const legacy: AttributeValues = useLegacyAttributes ? legacyAttributes(facts) : {};
  return { ...defined(both), ...defined(legacy), ...always };
}

export function connectionAttributes(facts: CallFacts, options: AttributeOptions): Attributes {
  return { ...spanAttributes(facts, options), 'sse.event_type': 'connection_established' };
}

function httpAttributes(facts: CallFacts): AttributeValues {
  const { request, status, responseBytes, workload } = facts;
  const { method, path, headers, remoteAddress, remotePort, httpVersion } = request;
  const network = networkOf(workload);
  return {
    'http.request.method': method,
    'url.full': addressOf(request),
    'url.scheme': 'http',
    'server.address': textOf(headers['host']),
    'url.path': path,
    'url.query': shownQuery(request),
    'user_agent.original': textOf(headers['user-agent']),
    'http.request.body.size': sizeOf(request),
    'http.response.status_code': status === 0 ? undefined : status,
    'http.response.body.size': responseBytes,
    'network.transport': network,
    'network.protocol.name': 'http',
    'network.protocol.version': httpVersion,
    'client.address': remoteAddress === '' ? undefined : remoteAddress,
    'client.port': remotePort,
    'error.type': outcomeStatusOf(facts) >= 500 ? errorTypeOf(facts) : undefined,
  };
}

function mcpAttributes({ request, message, method, target, workload }: CallFacts): AttributeValues {
  const { program, headers } = request;
  const isKnown = method !== 'unknown';
  return {
    'mcp.method.name': isKnown ? method : undefined,
    'rpc.system.name': isKnown ? 'jsonrpc' : undefined,
    'jsonrpc.protocol.version': isKnown ? '2.0' : undefined,
    'jsonrpc.request.id': idOf(message),
    'mcp.resource.uri': target?.kind === 'resource' ? target.name : undefined,
    'gen_ai.tool.name': target?.kind === 'tool' ? target.name : undefined,
    'gen_ai.prompt.name': target?.kind === 'prompt' ? target.name : undefined,
    'gen_ai.operation.name': method === 'tools/call' ? 'execute_tool' : undefined,
    'gen_ai.tool.call.arguments': argumentsOf(message),
    'mcp.server.name': workload.server,
    'mcp.backend.protocol.version': workload.transport === 'sse' ? SSE_PROTOCOL : undefined,
    'mcp.session.id': textOf(headers['mcp-session-id']),
    'mcp.protocol.version': textOf(headers['mcp-protocol-version']) ?? program?.revision,
    'mcp.client.name': program?.name,
  };
}

function legacyAttributes(facts: CallFacts): AttributeValues {
  const { request, status, responseBytes, durationMs, message, method, target, workload } = facts;
  const isKnown = method !== 'unknown';
  const size = sizeOf(request);
  return {
    'http.method': request.method,
    'http.url': addressOf(request),
    'http.scheme': 'http',
    'http.host': textOf(request.headers['host']),
    'http.target': request.path,
    'http.query': shownQuery(request),
    'http.user_agent': textOf(request.headers['user-agent']),
    'http.request_content_length': size === undefined ? undefined : String(size),
    'http.status_code': status === 0 ? undefined : status,
    'http.response_content_length': responseBytes,
    'http.duration_ms': durationMs,
    'mcp.method': isKnown ? method : undefined,
    'rpc.system': isKnown ? 'jsonrpc' : undefined,
    'rpc.service': isKnown ? 'mcp' : undefined,
    'mcp.request.id': idOf(message),
    'mcp.resource.id': target?.name,
    'mcp.tool.name': target?.kind === 'tool' ? target.name : undefined,
    'mcp.tool.arguments': argumentsOf(message),
    'mcp.prompt.name': target?.kind === 'prompt' ? target.name : undefined,
    'mcp.transport': workload.transport,
  };
}

function argumentsOf(message: CallFacts['message']): string | undefined {
  if (message?.kind !== 'request' || message.method !== 'tools/call') return undefined;
  const input = message.params?.['arguments'];
  return isJsonObject(input) && Object.keys(input).length > 0 ? showArguments(input) : undefined;
}

function idOf(message: CallFacts['message']): string | undefined {
  return message?.kind === 'request' ? message.id.replace(/^"(.*)"$/s, '$1') : undefined;
}

function addressOf({ headers, path }: ClientRequest): string {
  return `http://${textOf(headers['host']) ?? ''}${path}`;
}

/** Returns the query without its values, because a session id in them would grant access. */
function shownQuery({ query }: ClientRequest): string | undefined {
  if (query === '') return undefined;
  return query
    .split('&')
    .map((pair) => (pair.includes('=') ? `${pair.slice(0, pair.indexOf('='))}=[REDACTED]` : '[REDACTED]'))
    .join('&');
}

function sizeOf({ headers }: ClientRequest): number | undefined {
  const size = Number(textOf(headers['content-length']) ?? Number.NaN);
  return Number.isSafeInteger(size) ? size : undefined;
}

function textOf(header: string | readonly string[] | undefined): string | undefined {
  const text = typeof header === 'string' ? header : header?.join(', ');
  return text === '' ? undefined : text;
}

function defined(input: AttributeValues): Attributes {
  const entries = Object.entries(input).filter(
    (entry): entry is [string, string | number | boolean] => entry[1] !== undefined,
  );
  return Object.fromEntries(entries);
}
