export { createCounts } from './request/counts.ts';
export type { Counts } from './request/counts.ts';
export type { LinkListener } from './server/link-inbox.ts';
export type { LinkContext } from './server/link-options.ts';
export { ParsedMessage, type ParsingConnection } from './server/parsed-message.ts';
export { ServerLink } from './server/server-link.ts';
export type { RequestLimits, ResponseReceiver, ServerRequest } from './server/server-request.ts';
export { isLogLevel, levelOfLog, wantedLevel } from './server/log-levels.ts';
export { markedRequest, markRequest, removeMark } from './server/request-mark.ts';
