export { responseDetailsOf, attachResponse } from './errors/error-response.ts';
export {
  headerMismatch,
  methodUnknown,
  revisionUnknown,
  revisionUnsupported,
  serverIsLegacy,
  subscriptionsExhausted,
} from './errors/era-errors.ts';
export { batchInvalid } from './errors/message-errors.ts';
export { shortened } from './errors/shortened.ts';
export { MAX_CLIENT_NODES, MAX_ELEMENTS, MAX_SERVER_NODES, findExcess } from './message/count-values.ts';
export { findAmbiguity, findRepeatedName } from './message/find-ambiguity.ts';
export { findAnsweredId } from './message/find-answered-id.ts';
export { IdMap } from './message/id-map.ts';
export { elementsOf, findStart, findValue, skipBlanks } from './message/json-text.ts';
export { MESSAGE_TYPES } from './message/media-types.ts';
export { isJsonObject, memberOf, metaOf } from './message/message.ts';
export type {
  JsonRecord,
  Message,
  MessageId,
  NotificationMessage,
  RequestMessage,
  ResponseMessage,
} from './message/message.ts';
export {
  TOO_MANY_VALUES,
  parseBatch,
  parseClientBody,
  parseClientMessage,
  parseServerMessage,
  readId,
  splitServerBatch,
} from './message/parse-message.ts';
export type { ClientBody } from './message/parse-message.ts';
export { onOneLine, rewriteMessage } from './message/rewrite-message.ts';
export { INTERNAL_ERROR } from './message/rpc-codes.ts';
export { spliceChanges } from './message/splice-changes.ts';
export { TransientMap } from './message/transient-map.ts';
export { writeError, writeNotification, writeResult, writeResultText } from './message/write-message.ts';
export type { RpcError } from './message/write-message.ts';
export { OWN_LIST_METHODS, OWN_METHODS, OWN_REQUEST_HEADER, OwnRequests } from './own-requests.ts';
export type { OwnRequest } from './own-requests.ts';
export { NOTHING_KNOWN, classifyMessage, classifyOnEvents, hasClaim } from './revisions/classify-message.ts';
export type { Era } from './revisions/classify-message.ts';
export { listProbings } from './revisions/list-probings.ts';
export { encodeFieldValue, mirroredName } from './revisions/mirrored-name.ts';
export { findParamFault, paramFollower } from './revisions/mirrored-param.ts';
export { MirroredTools } from './revisions/mirrored-tools.ts';
export { namesModernRevision, revisionsOfRefusal, stringsIn } from './revisions/named-revisions.ts';
export { narrowDiscovery, servedRevisions } from './revisions/narrow-discovery.ts';
export { otherRevision } from './revisions/other-revision.ts';
export { DISCOVER, PING, ownGreeting, ownParams, ownRequest } from './revisions/list-probings.ts';
export { META } from './revisions/reserved-keys.ts';
export {
  BATCHES_IN,
  LEGACY_REVISIONS,
  MODERN_REVISIONS,
  NEWEST_LEGACY,
  NEWEST_MODERN,
  hasEmptyEvents,
  isLegacyRevision,
  isModern,
} from './revisions/revisions.ts';
export { EventOutput } from './sse/event-output.ts';
export { EventReader } from './sse/event-reader.ts';
export type { IncomingEvent } from './sse/event-reader.ts';
export { isEventStreamType } from './sse/is-event-stream.ts';
export { COMMENT, LINE_END, STREAM_HEADERS, writeEmptyEvent, writeEvent } from './sse/write-event.ts';
