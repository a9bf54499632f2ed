export { askServer } from './ask-server.ts';
export type { ProbeResult } from './ask-server.ts';
export type { StdioClientTarget, StdioFrontOptions } from './stdio/stdio-front-options.ts';
export { findRetryDelay } from './stdio/retry-delay.ts';
export { serveStdioClient } from './stdio/stdio-front.ts';
