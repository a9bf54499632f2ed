export { askServer } from './ask-server.ts';
export type { ProbeResult } from './ask-server.ts';
export type { StdioClientTarget, StdioFrontOptions } from './stdio/stdio-client-options.ts';
export { findRetryDelay } from './channel/retry-delay.ts';
export { serveStdioClient } from './stdio/stdio-client.ts';
export { connectHttp } from './connection/connect-http.ts';
export { CONNECTION_LIMITS } from './connection/http-connection-options.ts';
export type {
  ConnectionLimits,
  HttpConnectionOptions,
  HttpQuestion,
  HttpRequest,
  RequestHeaders,
} from './connection/http-connection-options.ts';
export { isPassable } from './connection/request-headers.ts';
export { HttpFault, readHttpFault } from './channel/http-fault.ts';
export type { HttpFaultDetails, HttpFaultReason } from './channel/http-fault.ts';
export type { HttpReply } from './channel/http-reply.ts';
