/**
 * Loads `node:http` without an import. An import creates a namespace of all exports, and reading some of them
 * (`WebSocket`, `MessageEvent`) loads the HTTP client of `fetch`: 12 MB that a server without outgoing
 * requests does not need.
 */
export const { createServer, IncomingMessage, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http');
