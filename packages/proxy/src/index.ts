export { OWN_QUESTION_HEADER } from './bridge/own-question.ts';
export { openProxy } from './open-proxy.ts';
export type { OpenProxy } from './open-proxy.ts';
export { PROXY_LIMITS } from './proxy-limits.ts';
export type { ProxyOptions } from './proxy-options.ts';
export type { RestartPace } from './server/restart-pace.ts';
export { EventReader } from './sse/event-reader.ts';
