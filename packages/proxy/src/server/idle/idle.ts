/** Connections that outlive their server process, for servers that stop while they are idle. */
export { RestingConnection } from './resting-connection.ts';
export type { RestingOptions } from './resting-connection.ts';
