import { HEALTH_LIMITS } from '../health/health-monitor.ts';
import { LISTENER_LIMITS } from '../listen/open-listener.ts';
import type { ProxyLimits } from './proxy-options.ts';

/** Default limits. */
export const PROXY_LIMITS: ProxyLimits = {
  bodyBytes: 8 * 1024 * 1024,
  requestMs: 60_000,
  longestRequestMs: 30 * 60_000,
  cancelledMs: 1000,
  deliverMs: 10_000,
  silenceMs: 10_000,
  commentMs: 15_000,
  unreadBytes: 1024 * 1024,
  unreadMs: 30_000,
  unreadTotalBytes: 128 * 1024 * 1024,
  keptEvents: 100,
  keptBytes: 1024 * 1024,
  heldBytes: 64 * 1024 * 1024,
  resumableMs: 60_000,
  queuedMessages: 1000,
  queuedBytes: 16 * 1024 * 1024,
  mostProcesses: 16,
  mostSessions: 1000,
  makesRoomAfterMs: 5000,
  startWaitMs: 10_000,
  spareDelayMs: 200,
  greetAgainMs: 5000,
  probeMs: 5000,
  startTimeoutMs: 60_000,
  mostSubscriptions: 1024,
  connectMs: 10_000,
  graceMs: 2000,
  health: HEALTH_LIMITS,
  listener: LISTENER_LIMITS,
};
