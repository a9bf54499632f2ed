export { askServer } from './ask-server.ts';
export type { ProbeResult } from './ask-server.ts';
export type { StdioClientTarget, StdioFrontOptions } from './stdio/stdio-client-options.ts';
export { findRetryDelay } from './stdio/retry-delay.ts';
export { serveStdioClient } from './stdio/stdio-client.ts';
