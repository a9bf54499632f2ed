/**
 * Returns whether an `Accept-Encoding` header accepts gzip: by name or by `*`, with a weight above zero (RFC
 * 9110, section 12.5.3).
 */
export function acceptsGzip(header: string | undefined): boolean {
  if (header === undefined || header === '') return false;
  let wildcard = false;
  for (const part of header.split(',')) {
    const [coding = '', ...parameters] = part.split(';');
    const allowed = !parameters.some((parameter) => /^\s*q\s*=\s*0(?:\.0*)?\s*$/i.test(parameter));
    const name = coding.trim().toLowerCase();
    if (name === 'gzip' || name === 'x-gzip') return allowed;
    if (name === '*') wildcard = allowed;
  }
  return wildcard;
}
