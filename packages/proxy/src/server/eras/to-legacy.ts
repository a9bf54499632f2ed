import {
  isJsonObject,
  isLegacyRevision,
  type JsonRecord,
  memberOf,
  META,
  metaOf,
  NEWEST_LEGACY,
  type NotificationMessage,
  type RequestMessage,
  type ResponseMessage,
  spliceChanges,
} from '@portolan/mcp-protocol';
import { removeInItems, setMembers, textAt } from './rewrite-members.ts';

const ENVELOPE = { [META.claim]: undefined, [META.capabilities]: undefined, [META.clientInfo]: undefined };

/** Removes the envelope and the members of a retry from a Modern request. */
export function removeEnvelope(message: RequestMessage): RequestMessage {
  const meta = metaOf(message.params);
  const isEmpty = Object.keys(meta ?? {}).every((key) => key in ENVELOPE || key === META.logLevel);
  const outer = { inputResponses: undefined, requestState: undefined };
  const text = isEmpty
    ? setMembers(message.text, ['params'], { ...outer, _meta: undefined })
    : setMembers(setMembers(message.text, ['params'], outer), ['params', '_meta'], {
        ...ENVELOPE,
        [META.logLevel]: undefined,
      });
  return { ...message, text };
}

/** JSON-RPC error codes that only Modern servers send. */
const MODERN_CODES: readonly unknown[] = [-32020, -32021, -32022];

/** Turns the response of a Modern server into one for a Legacy client. */
export function toLegacyResponse(method: string, response: ResponseMessage): ResponseMessage {
  const { result, text, isError, errorCode } = response;
  if (isError) {
    return MODERN_CODES.includes(errorCode)
      ? { ...response, text: setMembers(text, ['error'], { code: '-32603' }), errorCode: -32603 }
      : response;
  }
  if (!isJsonObject(result)) return response;
  const structured = memberOf(result, 'structuredContent');
  const removed = [
    ...['resultType', 'ttlMs', 'cacheScope'].filter((name) => memberOf(result, name) !== undefined),
    // Legacy revisions allow only an object.
    ...(structured === undefined || isJsonObject(structured) ? [] : ['structuredContent']),
  ];
  const rewritten = spliceChanges(
    text,
    removed.map((name) => ({ path: ['result', name], json: undefined })),
  );
  return { ...response, text: method === 'tools/list' ? removeOutputSchemas(rewritten, result) : rewritten };
}

/** Removes output schemas for other types than objects, which Legacy clients reject with the whole list. */
function removeOutputSchemas(text: string, result: JsonRecord): string {
  const tools = memberOf(result, 'tools');
  if (!Array.isArray(tools)) return text;
  const removed = tools.flatMap((tool: unknown, at) => {
    const schema = isJsonObject(tool) ? memberOf(tool, 'outputSchema') : undefined;
    const isObject = isJsonObject(schema) && memberOf(schema, 'type') === 'object';
    return schema === undefined || isObject ? [] : [at];
  });
  return removeInItems(text, ['result', 'tools'], removed, 'outputSchema');
}

/** Removes the tag of a subscription from a notification. */
export function removeTag({ text, params }: NotificationMessage): string {
  const meta = metaOf(params);
  const isOnly = Object.keys(meta ?? {}).length <= 1;
  return isOnly
    ? setMembers(text, ['params'], { _meta: undefined })
    : setMembers(text, ['params', '_meta'], { [META.subscription]: undefined });
}

/** Members of an `initialize` response, as JSON texts. */
export interface HandshakeParts {
  readonly revision: string;
  readonly capabilities: string;
  readonly serverInfo: string;
  readonly instructions: string | undefined;
}

/** Reads what an `initialize` response needs from the response to `server/discover`. */
export function readDiscovery(discovery: ResponseMessage): Omit<HandshakeParts, 'revision'> {
  const { text } = discovery;
  return {
    capabilities: textAt(text, ['result', 'capabilities']) ?? '{}',
    serverInfo:
      textAt(text, ['result', '_meta', 'io.modelcontextprotocol/serverInfo']) ??
      textAt(text, ['result', 'serverInfo']) ??
      '{"name":"unknown","version":"unknown"}',
    instructions: textAt(text, ['result', 'instructions']),
  };
}

/** Returns the requested revision if it is a known Legacy revision, otherwise the newest. */
export function agreeOn(requested: unknown): string {
  return typeof requested === 'string' && isLegacyRevision(requested) ? requested : NEWEST_LEGACY;
}

export function writeHandshake({ id }: RequestMessage, parts: HandshakeParts): string {
  const members = [
    `"protocolVersion":${JSON.stringify(parts.revision)}`,
    `"capabilities":${parts.capabilities}`,
    `"serverInfo":${parts.serverInfo}`,
    ...(parts.instructions === undefined ? [] : [`"instructions":${parts.instructions}`]),
  ];
  return `{"jsonrpc":"2.0","id":${id.text},"result":{${members.join(',')}}}`;
}
