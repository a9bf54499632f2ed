import type { ClientMessage, ClientRequest, DriftEvent } from '@portolan/plugin-api';
import { LOST_EVENT } from '../audit-events.ts';

/** Types of lines about client requests to a workload, in ToolHive's naming, with their subjects. */
export const PROXY_EVENTS = {
  mcp_initialize: 'A client begins a session (`initialize`).',
  mcp_tool_call: 'A tool is called (`tools/call`).',
  mcp_tools_list: 'The tools are listed (`tools/list`).',
  mcp_resource_read: 'A resource is read (`resources/read`).',
  mcp_resources_list: 'The resources are listed (`resources/list`).',
  mcp_prompt_get: 'A prompt is requested (`prompts/get`).',
  mcp_prompts_list: 'The prompts are listed (`prompts/list`).',
  mcp_notification: 'A log message comes from a client (`notifications/message`).',
  mcp_ping: 'A client looks whether the server is there (`ping`).',
  mcp_logging: 'The level of log messages is set (`logging/setLevel`).',
  mcp_completion: 'An argument is completed (`completion/complete`).',
  mcp_roots_list_changed: 'The roots of a client have changed (`notifications/roots/list_changed`).',
  mcp_request: 'Any other message with a method, those of revision 2026-07-28 alone included.',
  sse_connection: 'An event stream is opened by GET.',
  http_request: 'Everything else: responses of clients, ends of sessions, requests that were refused unread.',
} as const;

/** Types of lines about what was approved for a workload (`portolan.lock`). No request of a client causes them. */
export const DRIFT_EVENTS = {
  drift_detected: 'The server differs from what was approved, and clients get the difference.',
  drift_held: 'The server differs from what was approved, and clients do not get the difference.',
  drift_approved: 'A held difference is approved.',
} as const satisfies Readonly<Record<DriftEvent['type'], string>>;

export type ProxyEventType = keyof typeof PROXY_EVENTS;

/** Event types that ToolHive's files contain and that no proxy of Portolan writes. */
export const FOREIGN_EVENTS = [
  'vmcp_workflow_started',
  'vmcp_workflow_completed',
  'vmcp_workflow_failed',
  'vmcp_workflow_timed_out',
  'vmcp_workflow_step_started',
  'vmcp_workflow_step_completed',
  'vmcp_workflow_step_failed',
  'vmcp_workflow_step_skipped',
] as const;

export const FILTERED_EVENTS = [
  ...(Object.keys(PROXY_EVENTS) as readonly ProxyEventType[]),
  ...(Object.keys(DRIFT_EVENTS) as readonly DriftEvent['type'][]),
  ...FOREIGN_EVENTS,
] as const;

const TYPE_BY_METHOD: ReadonlyMap<string, ProxyEventType> = new Map([
  ['initialize', 'mcp_initialize'],
  ['tools/call', 'mcp_tool_call'],
  ['tools/list', 'mcp_tools_list'],
  ['resources/read', 'mcp_resource_read'],
  ['resources/list', 'mcp_resources_list'],
  ['prompts/get', 'mcp_prompt_get'],
  ['prompts/list', 'mcp_prompts_list'],
  ['notifications/message', 'mcp_notification'],
  ['ping', 'mcp_ping'],
  ['logging/setLevel', 'mcp_logging'],
  ['completion/complete', 'mcp_completion'],
  ['notifications/roots/list_changed', 'mcp_roots_list_changed'],
]);

/** Returns the event type of a request, which may have no parsed message. */
export function proxyEventOf(request: ClientRequest, message: ClientMessage | undefined): ProxyEventType {
  if (message !== undefined && message.kind !== 'response') {
    return TYPE_BY_METHOD.get(message.method) ?? 'mcp_request';
  }
  if (request.method === 'GET' && takesStream(request)) return 'sse_connection';
  // Responses arrive on another stream, so every POST here is meant as a message.
  const isPostOfStream = request.method === 'POST' && message === undefined && isEventsPath(request);
  return isPostOfStream ? 'mcp_request' : 'http_request';
}

function takesStream({ headers: { accept } }: ClientRequest): boolean {
  return String(accept ?? '')
    .toLowerCase()
    .includes('text/event-stream');
}

/** Returns whether a path is that of HTTP+SSE messages, here and at most servers. */
function isEventsPath({ path, query }: ClientRequest): boolean {
  return /\/(?:sse|messages?)\/?$/.test(path) && /(?:^|&)session_?id=/i.test(query);
}

/** Returns which events to write. The line about lost lines is always written. */
export function selectProxyEvents({
  eventTypes,
  excludeEventTypes = [],
}: {
  readonly eventTypes?: readonly string[];
  readonly excludeEventTypes?: readonly string[];
}): (type: ProxyEventType | DriftEvent['type'] | typeof LOST_EVENT) => boolean {
  const included = eventTypes === undefined || eventTypes.length === 0 ? undefined : new Set(eventTypes);
  const excluded = new Set(excludeEventTypes);
  return (type) => type === LOST_EVENT || (!excluded.has(type) && (included?.has(type) ?? true));
}
