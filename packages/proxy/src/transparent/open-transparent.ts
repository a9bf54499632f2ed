import type { HttpBackend } from '@portolan/plugin-api';
import { HealthMonitor } from '../health/health-monitor.ts';
import type { ProxyLimits, ProxyOptions } from '../proxy-options.ts';
import type { Service, ServiceHealth } from '../service.ts';
import { readBody } from '../steps/read-body.ts';
import { openForwarder } from './open-forwarder.ts';
import { pingTarget } from './ping-target.ts';
import { checkMethod, serveTransparent } from './serve-transparent.ts';

/** The way through to a server that speaks HTTP itself. */
export async function openTransparent(
  backend: HttpBackend,
  options: ProxyOptions,
  limits: ProxyLimits,
): Promise<Service> {
  const { target, isRemote, transport, agent, forwardHeaders = [], checksHealth = !isRemote } = backend;
  const { endpointPrefix, trustProxyHeaders = false, isStateless = false, logger, clock } = options;
  const forwarder = await openForwarder({ target, agent, connectMs: limits.connectMs });
  const monitor = new HealthMonitor({
    limits: limits.health,
    ping: (signal) => pingTarget({ target, agent, isStateless }, signal),
    givenUp: (reason) => options.failing?.(reason),
    recovered: () => options.recovered?.(),
    clock,
    logger,
  });
  let waiting = 0;
  let isRefused = false;
  const serve = serveTransparent({
    forwarder,
    transport,
    target,
    isRemote,
    isStateless,
    forwardHeaders,
    endpointPrefix,
    trustProxyHeaders,
    seen: () => {
      if (checksHealth) monitor.start();
    },
    refused: (refuses) => {
      if (isRefused !== refuses) options.refused?.(refuses);
      isRefused = refuses;
    },
    waiting: (change) => {
      waiting += change;
    },
  });
  return {
    steps: [
      { name: 'checkMethod', run: checkMethod(isStateless) },
      { name: 'readBody', run: readBody(limits.bodyBytes) },
      { name: 'serveTransparent', run: serve },
    ],
    get health() {
      return healthOf(monitor);
    },
    get stats() {
      return { sessions: 0, processes: 0, waiting };
    },
    close: async () => {
      await monitor.close();
      forwarder.close();
    },
  };
}

function healthOf(monitor: HealthMonitor): ServiceHealth {
  const mcp = monitor.last === undefined ? {} : { mcp: monitor.last };
  if (monitor.isGivenUp) return { state: 'unhealthy', ...mcp };
  return { state: monitor.failures === 0 ? 'healthy' : 'degraded', ...mcp };
}
