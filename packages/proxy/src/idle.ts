/** Connections that outlive their server process, for servers that stop while they are idle. */
export { RestingConnection } from './idle/resting-connection.ts';
export type { RestingOptions } from './idle/resting-connection.ts';
