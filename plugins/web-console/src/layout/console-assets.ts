import { readConsoleScript } from './read-console-script.ts';
import { BASE } from './style/base.ts';
import { ENTRIES } from './style/entries.ts';
import { FORMS } from './style/forms.ts';
import { FRAME } from './style/frame.ts';
import { LISTS } from './style/lists.ts';
import { createHash } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import type { PageRoute } from '@portolan/plugin-api';

const point = (angle: number, length: number, width: number, fill: string): string =>
  `<g transform="rotate(${angle})" fill="${fill}"><path d="M0-${length}L${width}-${width}L0 0Z"/><path d="M0-${length}L-${width}-${width}L0 0Z" opacity=".5"/></g>`;

/** Colours that are visible on light and dark browser tabs. */
const [SEA, NORTH] = ['#2b8494', '#d0603f'];

const POINTS = [
  ...[45, 135, 225, 315].map((angle) => point(angle, 32, 6, SEA)),
  ...[90, 180, 270].map((angle) => point(angle, 48, 9, SEA)),
  point(0, 48, 9, NORTH),
].join('');

const favicon = asset(
  'mark',
  'svg',
  'image/svg+xml',
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-50 -50 100 100">${POINTS}</svg>`,
);

const styleSheet = asset(
  'style',
  'css',
  'text/css; charset=utf-8',
  [BASE, FRAME, LISTS, ENTRIES, FORMS].join(''),
);

export interface ConsoleAssets {
  readonly style: Asset;
  readonly script: Asset;
  readonly mark: Asset;
}

export async function openConsoleAssets(): Promise<ConsoleAssets> {
  const script = await readConsoleScript();
  return {
    style: styleSheet,
    script: asset('console', 'js', 'text/javascript; charset=utf-8', script),
    mark: favicon,
  };
}

/** Static file whose address contains a hash of its content. */
interface Asset {
  readonly route: PageRoute;
}

/** Returns an asset that browsers cache for a year, because changed content gets a new address. */
function asset(name: string, extension: string, contentType: string, text: string): Asset {
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
