import { sendJson } from '../answers/send-json.ts';
import { metadataNotFound, metricsDisabled, notReady, tooManyScrapes } from '../errors.ts';
import type { ServerMetrics } from '../metrics/server-metrics.ts';
import type { Step } from '../route.ts';
import type { VersionInfo } from '../version-info.ts';

/** Reasons, as sentences, why requests cannot be served now; none when they can. */
export type ReadinessProbe = () => Promise<readonly string[]>;

/** The process answers. */
export function showHealth(): Step {
  return (ctx) => sendJson(ctx, '{"status":"healthy"}\n');
}

/** Whether what requests need is there. Throws ERR_NOT_READY with every reason. */
export function showReadiness(probe: ReadinessProbe): Step {
  return async (ctx) => {
    const reasons = await probe();
    if (reasons.length > 0) throw notReady(reasons);
    sendJson(ctx, '{"status":"ready"}\n');
  };
}

/** Which build this is, and on what it runs. */
export function showVersion({ version, commit = '', buildDate = '' }: VersionInfo): Step {
  const { platform, arch, version: nodeVersion } = process;
  const text = JSON.stringify({
    version,
    commit,
    build_date: buildDate,
    node_version: nodeVersion,
    platform: `${platform}/${arch}`,
  });
  return (ctx) => sendJson(ctx, `${text}\n`);
}

/** No OAuth resource is described while nobody is asked for a token (RFC 9728). */
export function showResourceMetadata(): Step {
  return () => {
    throw metadataNotFound();
  };
}

/** Prometheus text. Throws ERR_METRICS_DISABLED and ERR_TOO_MANY_SCRAPES. */
export function showMetrics(metrics: ServerMetrics, mostScrapes = 2): Step {
  let running = 0;
  return async (ctx) => {
    if (!metrics.enabled) throw metricsDisabled();
    if (running >= mostScrapes) throw tooManyScrapes(mostScrapes);
    running += 1;
    try {
      const text = await metrics.toPrometheus();
      ctx.set('Content-Type', 'text/plain; version=0.0.4; charset=utf-8');
      ctx.body = text;
    } finally {
      running -= 1;
    }
  };
}
