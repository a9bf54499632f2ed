import { METRICS_CONTENT_TYPES, type PublicClient } from '@portolan/plugin-api';
import { sendDocument, sendJson } from '../responses/send-json.ts';
import { metadataNotFound, metricsDisabled, notReady, tooManyScrapes } from './operation-errors.ts';
import type { ServerMetrics } from '../metrics/server-metrics.ts';
import { accessOf } from '../request/request-state.ts';
import { type Step, step } from '../request/route.ts';
import type { VersionInfo } from '../request/version-info.ts';
import { baseUrl } from './base-url.ts';

const OPENMETRICS = 'application/openmetrics-text';

/**
 * Returns whether a scraper prefers OpenMetrics. Ignores parameters other than `q`: a client that accepts any
 * OpenMetrics version accepts 1.0 or gives another format a higher `q`.
 */
export function prefersOpenMetrics(accept: string): boolean {
  const ranges = accept.split(',').map(readRange);
  const qualityOf = (...types: readonly string[]) =>
    Math.max(0, ...ranges.filter(({ type }) => types.includes(type)).map(({ quality }) => quality));
  const strict = qualityOf(OPENMETRICS);
  return strict > 0 && strict >= qualityOf('text/plain');
}

function readRange(text: string): { readonly type: string; readonly quality: number } {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const [quality = 1] = parameters.flatMap((parameter) => {
    const [, digits] = /^q=(\d(?:\.\d*)?)$/.exec(parameter) ?? [];
    return digits === undefined ? [] : [Number(digits)];
  });
  return { type, quality };
}

/** Whether the server is ready. Its sentences are public, so they contain no internal detail. */
export interface Readiness {
  /** Reasons why the server cannot serve requests. */
  readonly problems: readonly string[];
  /** Functions that are unavailable although the server is ready, such as changes while the disk is full. */
  readonly warnings: readonly string[];
}

export type ReadinessProbe = () => Promise<Readiness>;

/** Responds to liveness checks. */
export function showHealth(): Step {
  return step('showHealth', (ctx) => sendJson(ctx, '{"status":"healthy"}\n'));
}

/**
 * Reports whether the server's dependencies are available, with warnings. Throws ERR_NOT_READY with every
 * problem.
 */
export function showReadiness(probe: ReadinessProbe): Step {
  return step('showReadiness', async (ctx) => {
    const { problems, warnings } = await probe();
    if (problems.length > 0) throw notReady(problems);
    const document = { status: 'ready', ...(warnings.length === 0 ? {} : { warnings }) };
    sendJson(ctx, `${JSON.stringify(document)}\n`);
  });
}

/** Shows the version of the build and of its runtime. */
export function showVersion({ version, commit = '', buildDate = '' }: VersionInfo): Step {
  const { platform, arch, version: nodeVersion } = process;
  const text = JSON.stringify({
    version,
    commit,
    build_date: buildDate,
    node_version: nodeVersion,
    platform: `${platform}/${arch}`,
  });
  return step('showVersion', (ctx) => sendJson(ctx, `${text}\n`));
}

/**
 * Shows RFC 9728 metadata with the issuers in configured order. Throws ERR_METADATA_NOT_FOUND on a server
 * without tokens and for another resource.
 */
export function showResourceMetadata(publicUrl: string | undefined): Step {
  return step('showResourceMetadata', (ctx) => {
    const metadata = accessOf(ctx).provider?.instance.protectedResource;
    if (metadata === undefined) throw metadataNotFound();
    const resource = metadata.resource ?? baseUrl(ctx, publicUrl);
    const [, requested = ''] =
      /^\/\.well-known\/oauth-protected-resource(.*?)\/?$/.exec(ctx.state.path) ?? [];
    // Clients may append the resource's path (section 3.1).
    if (requested !== '' && requested !== new URL(resource).pathname) throw metadataNotFound();
    const { authorizationServers, publicClients = [] } = metadata;
    const document = {
      resource,
      authorization_servers: authorizationServers,
      bearer_methods_supported: ['header'],
      ...(publicClients.length === 0 ? {} : { portolan_login: publicClients.map(showPublicClient) }),
    };
    sendDocument(ctx, `${JSON.stringify(document)}\n`, 'application/json');
  });
}

/**
 * Returns a public client as a member of the metadata. RFC 9728, section 2, allows additional members; the
 * field names are OAuth's.
 */
function showPublicClient({ issuer, clientId, scopes, parameters, token }: PublicClient): object {
  return { issuer, client_id: clientId, scopes, parameters, token };
}

/**
 * Shows metrics as text in the format that the scraper prefers. Throws ERR_FEATURE_DISABLED and
 * ERR_TOO_MANY_SCRAPES.
 */
export function showMetrics(metrics: ServerMetrics, maxScrapes = 2): Step {
  let running = 0;
  return step('showMetrics', async (ctx) => {
    if (!metrics.enabled) throw metricsDisabled();
    if (running >= maxScrapes) throw tooManyScrapes(maxScrapes);
    running += 1;
    try {
      const format = prefersOpenMetrics(ctx.get('Accept')) ? 'openmetrics' : 'prometheus';
      const text = await metrics.toText(format);
      ctx.set('Content-Type', METRICS_CONTENT_TYPES[format]);
      ctx.vary('Accept');
      ctx.body = text;
    } finally {
      running -= 1;
    }
  });
}
