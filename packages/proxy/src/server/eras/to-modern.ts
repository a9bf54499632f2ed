import {
  isJsonObject,
  memberOf,
  type MessageId,
  META,
  type RequestMessage,
  type ResponseMessage,
} from '@portolan/mcp-protocol';
import { setMembers, textAt } from './rewrite-members.ts';

/** What a Modern request says about its client, as JSON texts. */
export interface Envelope {
  readonly revision: string;
  readonly capabilities: string;
  readonly clientInfo: string | undefined;
  readonly logLevel: string | undefined;
}

/** Responses of a client to the input requests of a server, as JSON texts. */
export interface InputRound {
  readonly responses: string;
  readonly state: string | undefined;
}

/** Adds the envelope to a Legacy request. */
export function addEnvelope(message: RequestMessage, envelope: Envelope): RequestMessage {
  const text = setMembers(message.text, ['params', '_meta'], {
    [META.claim]: JSON.stringify(envelope.revision),
    [META.capabilities]: envelope.capabilities,
    [META.clientInfo]: envelope.clientInfo,
    [META.logLevel]: envelope.logLevel,
  });
  return { ...message, text };
}

export function addRound(message: RequestMessage, { responses, state }: InputRound): RequestMessage {
  const text = setMembers(message.text, ['params'], { inputResponses: responses, requestState: state });
  return { ...message, text };
}

/** Methods whose results have cache hints in Modern revisions. */
const CACHED = new Set([
  'tools/list',
  'prompts/list',
  'resources/list',
  'resources/templates/list',
  'resources/read',
]);

/** JSON-RPC error code for an unknown resource in Legacy revisions. */
const RESOURCE_NOT_FOUND = -32002;

/** Turns the response of a Legacy server into one for a Modern client. */
export function toModernResponse(method: string, response: ResponseMessage): ResponseMessage {
  if (response.isError) {
    if (response.errorCode !== RESOURCE_NOT_FOUND) return response;
    const text = setMembers(response.text, ['error'], { code: '-32602' });
    return { ...response, text, errorCode: -32602 };
  }
  const { result, text } = response;
  if (!isJsonObject(result)) return response;
  const isMissing = (name: string): boolean => memberOf(result, name) === undefined;
  const hints = CACHED.has(method)
    ? {
        ...(isMissing('ttlMs') ? { ttlMs: '0' } : {}),
        ...(isMissing('cacheScope') ? { cacheScope: '"private"' } : {}),
      }
    : {};
  const members = { ...(isMissing('resultType') ? { resultType: '"complete"' } : {}), ...hints };
  return { ...response, text: setMembers(text, ['result'], members) };
}

/** Writes the result of `server/discover` from the response to `initialize`. */
export function writeDiscovery(
  id: MessageId,
  handshake: ResponseMessage,
  revisions: readonly string[],
): string {
  const { text } = handshake;
  const capabilities = textAt(text, ['result', 'capabilities']) ?? '{}';
  const serverInfo = textAt(text, ['result', 'serverInfo']);
  const instructions = textAt(text, ['result', 'instructions']);
  const members = [
    '"resultType":"complete"',
    `"supportedVersions":${JSON.stringify(revisions)}`,
    // Tasks of Legacy revisions differ from those of the Modern extension.
    `"capabilities":${setMembers(capabilities, [], { tasks: undefined })}`,
    ...(instructions === undefined ? [] : [`"instructions":${instructions}`]),
    '"ttlMs":0',
    '"cacheScope":"private"',
    ...(serverInfo === undefined ? [] : [`"_meta":{"io.modelcontextprotocol/serverInfo":${serverInfo}}`]),
  ];
  return `{"jsonrpc":"2.0","id":${id.text},"result":{${members.join(',')}}}`;
}
