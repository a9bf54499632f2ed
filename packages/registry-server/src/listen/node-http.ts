/**
 * `node:http`, had without an import: an import makes a namespace of all its
 * exports, and to read some of them (`WebSocket`, `MessageEvent`) loads the HTTP
 * client of `fetch`, 12 MB that a server without outgoing requests has no use for.
 */
export const { createServer, IncomingMessage, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http');
