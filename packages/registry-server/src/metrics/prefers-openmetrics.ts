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
