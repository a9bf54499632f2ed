import { type ComponentChildren, h, type VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';

/** Points of the compass rose, longest first: four main winds, four between them, eight between those. */
const POINTS = [
  { step: 22.5, offset: 22.5, length: 26, width: 4.2, every: 2 },
  { step: 45, offset: 45, length: 34, width: 5.6, every: 2 },
  { step: 90, offset: 0, length: 46, width: 7.4, every: 1 },
] as const;

/** Draws one point with one half filled. North has the accent colour. */
function ray(angle: number, length: number, width: number): VNode {
  const turned = `rotate(${angle})`;
  const isNorth = angle === 0;
  return h(
    'g',
    { transform: turned, ...(isNorth ? { class: 'north' } : {}) },
    h('path', { d: `M0 ${-length}L${width} ${-width}L0 0Z`, fill: 'currentColor' }),
    h('path', {
      d: `M0 ${-length}L${-width} ${-width}L0 0Z`,
      fill: 'var(--surface, #fff)',
      stroke: 'currentColor',
      'stroke-width': '.9',
      'stroke-linejoin': 'round',
    }),
  );
}

/** Parts that every compass rose shares, drawn once. */
const ROSE = {
  __html: renderToString(
    h(
      'g',
      null,
      h('circle', { r: '30', fill: 'none', stroke: 'currentColor', 'stroke-width': '1.6', opacity: '.55' }),
      h('circle', { r: '24', fill: 'none', stroke: 'currentColor', 'stroke-width': '.8', opacity: '.4' }),
      points(),
      h('circle', { r: '3.4', fill: 'currentColor' }),
    ),
  ),
};

function points(): ComponentChildren {
  return POINTS.flatMap(({ step, offset, length, width, every }) => {
    const count = 360 / step;
    return Array.from({ length: count }, (_, index) => index)
      .filter((index) => every === 1 || index % 2 === 0)
      .map((index) => ray((every === 1 ? 0 : offset) + index * step, length, width));
  });
}

/** Renders the logo, the compass rose of a portolan chart. It inherits text and accent colours. */
export function compassRose(attributes: Readonly<Record<string, string>> = {}): VNode {
  return h('svg', {
    viewBox: '-50 -50 100 100',
    'aria-hidden': 'true',
    focusable: 'false',
    dangerouslySetInnerHTML: ROSE,
    ...attributes,
  });
}

/** Renders the lines of a portolan chart, the background of the first page. */
export function rhumbLines(): VNode {
  const lines = Array.from({ length: 32 }, (_, index) => index * 11.25);
  return h(
    'svg',
    {
      class: 'rhumbs',
      viewBox: '-720 -720 1440 1440',
      'aria-hidden': 'true',
      focusable: 'false',
    },
    lines.map((angle) =>
      h('line', {
        x2: '0',
        y2: '-720',
        transform: `rotate(${angle})`,
        stroke: 'currentColor',
        'stroke-width': angle % 90 === 0 ? '1.6' : '.8',
        'vector-effect': 'non-scaling-stroke',
      }),
    ),
  );
}
