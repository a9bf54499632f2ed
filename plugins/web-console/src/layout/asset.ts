import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { PageRoute } from '@portolan/plugin-api';

/** Static file whose address contains a hash of its content. */
export interface Asset {
  readonly route: PageRoute;
}

/** Returns an asset that browsers cache for a year, because changed content gets a new address. */
export function asset(name: string, extension: string, contentType: string, text: string): Asset {
  const hash = createHash('sha256').update(text).digest('base64url').slice(0, 12);
  const headers = {
    'Content-Type': contentType,
    'Cache-Control': 'public, max-age=31536000, immutable',
    Vary: 'Accept-Encoding',
  };
  const zipped = gzipSync(text);
  return {
    route: {
      method: 'GET',
      path: `/assets/${name}-${hash}.${extension}`,
      name: `show_${name}_${extension}`,
      summary: 'A file that pages need.',
      handle: ({ headers: { 'accept-encoding': accepted = '' } }) =>
        /\bgzip\b/.test(String(accepted))
          ? { status: 200, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: zipped }
          : { status: 200, headers, body: text },
    },
  };
}
