/**
 * `node:http`, had without an import: an import makes a namespace of all its
 * exports, and to read some of them loads the HTTP client of `fetch`, 12 MB that
 * a proxy of messages has no use for.
 */
export const { createServer, STATUS_CODES } = process.getBuiltinModule('node:http');
