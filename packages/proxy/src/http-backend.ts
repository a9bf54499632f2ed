export { openHttpBackend } from './outgoing/open-http-backend.ts';
export type { HttpBackendOptions, OpenHttpBackend } from './outgoing/open-http-backend.ts';
