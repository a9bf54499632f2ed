import { asset } from './asset.ts';

const point = (angle: number, length: number, width: number, fill: string): string =>
  `<g transform="rotate(${angle})" fill="${fill}"><path d="M0-${length}L${width}-${width}L0 0Z"/><path d="M0-${length}L-${width}-${width}L0 0Z" opacity=".5"/></g>`;

/** Colours that are visible on light and dark browser tabs. */
const [SEA, NORTH] = ['#2b8494', '#d0603f'];

const POINTS = [
  ...[45, 135, 225, 315].map((angle) => point(angle, 32, 6, SEA)),
  ...[90, 180, 270].map((angle) => point(angle, 48, 9, SEA)),
  point(0, 48, 9, NORTH),
].join('');

export const favicon = asset(
  'mark',
  'svg',
  'image/svg+xml',
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="-50 -50 100 100">${POINTS}</svg>`,
);
