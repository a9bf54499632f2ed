import type { AuthProvider } from '@portolan/plugin-api';
import type { RequestContext } from '../request/request-state.ts';
import type { ServedPathRow } from '../request/service.ts';
import { originJudge, type OriginOptions } from './check-origin.ts';
import { METADATA_PATH, type OuterAddressOptions, outerAddressOf } from './outer-address.ts';

export interface MetadataOptions {
  readonly provider: AuthProvider;
  readonly address: OuterAddressOptions;
  readonly origins: OriginOptions;
}

/** Cache time in browsers, in seconds. */
const REMEMBERED_S = '86400';
const HEADER_NAMES = /^[\w!#$%&'*+.^`|~-]+(?: ?, ?[\w!#$%&'*+.^`|~-]+)*$/;

export function tellsWhere({ protectedResource }: AuthProvider): boolean {
  if (protectedResource === undefined) return false;
  return protectedResource.resource !== undefined || protectedResource.authorizationServers.length > 0;
}

/**
 * Metadata of a protected resource (RFC 9728), readable without a token. Empty without an address or an
 * authorization server.
 */
export function resourceMetadataPaths(options: MetadataOptions): readonly ServedPathRow[] {
  const { provider, address, origins } = options;
  const { protectedResource } = provider;
  if (protectedResource === undefined || !tellsWhere(provider)) return [];
  const { authorizationServers, scopes = ['openid'] } = protectedResource;
  return [
    metadataRow(origins, (ctx) => ({
      resource: outerAddressOf(ctx, address),
      // RFC 9728, section 3.2: empty arrays are omitted.
      ...(authorizationServers.length === 0 ? {} : { authorization_servers: authorizationServers }),
      bearer_methods_supported: ['header'],
      scopes_supported: scopes,
    })),
  ];
}

export function metadataRow(
  origins: OriginOptions,
  documentOf: (ctx: RequestContext) => object | undefined | Promise<object | undefined>,
): ServedPathRow {
  const judge = originJudge(origins);
  return {
    path: `${METADATA_PATH}/*`,
    methods: ['GET', 'HEAD', 'OPTIONS'],
    respond: async (ctx) => {
      ctx.vary('Origin');
      if (['listed', 'own'].includes(judge(ctx))) allowReading(ctx);
      if (ctx.method === 'OPTIONS') {
        ctx.status = 204;
        return;
      }
      const document = await documentOf(ctx);
      if (document === undefined) ctx.status = 404;
      ctx.body = document ?? { error: 'not_found' };
    },
  };
}

function allowReading(ctx: RequestContext): void {
  ctx.set('Access-Control-Allow-Origin', ctx.get('Origin'));
  if (ctx.method !== 'OPTIONS') return;
  ctx.set('Access-Control-Allow-Methods', 'GET, OPTIONS');
  ctx.set('Access-Control-Max-Age', REMEMBERED_S);
  const requestedHeaders = ctx.get('Access-Control-Request-Headers');
  if (HEADER_NAMES.test(requestedHeaders)) ctx.set('Access-Control-Allow-Headers', requestedHeaders);
}
