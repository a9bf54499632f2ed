const OPENMETRICS = 'application/openmetrics-text';

/**
 * Whether a scraper would rather have OpenMetrics than Prometheus' own form. Parameters
 * but `q` are not looked at: whoever takes some version of it takes 1.0, or asks for
 * something else with a higher `q`.
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
