export { askServer } from './ask-server.ts';
export type { Asked } from './ask-server.ts';
export type { FrontTarget, StdioFrontOptions } from './stdio/stdio-front-options.ts';
export { findRetryDelay } from './stdio/retry-delay.ts';
export { serveStdioFront } from './stdio/stdio-front.ts';
