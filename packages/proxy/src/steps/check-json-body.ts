import { contentEncodingUnsupported, contentTypeUnsupported } from '../errors/request-errors.ts';
import type { RequestContext } from '../request/request-state.ts';

/**
 * Accepts only a body that its headers declare as uncompressed JSON, because servers parse a body regardless
 * of its headers.
 */
export function checkJsonBody(ctx: RequestContext): void {
  const encoding = ctx.get('Content-Encoding').trim();
  if (encoding !== '' && encoding.toLowerCase() !== 'identity') throw contentEncodingUnsupported(encoding);
  const type = ctx.get('Content-Type');
  const [mediaType = ''] = type.split(';');
  if (mediaType.trim().toLowerCase() !== 'application/json') throw contentTypeUnsupported(type);
}
