import { HOP_BY_HOP } from '@portolan/outbound';

/** Header fields in original order and case: `[name, value]`. */
export type HeaderFields = readonly (readonly [string, string])[];

export function readRawHeaders(raw: readonly string[]): HeaderFields {
  return Array.from(
    { length: raw.length / 2 },
    (_, at) => [raw[2 * at] ?? '', raw[2 * at + 1] ?? ''] as const,
  );
}

/**
 * Removes hop-by-hop fields and those that `Connection` names, but never the body length: without it, the
 * body would be parsed as another message.
 */
export function dropHopByHop(fields: HeaderFields): HeaderFields {
  const named = fields
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) =>
      value
        .toLowerCase()
        .split(',')
        .map((token) => token.trim()),
    )
    .filter((token) => token !== 'content-length');
  const dropped = new Set([...HOP_BY_HOP, ...named]);
  return fields.filter(([name]) => !dropped.has(name.toLowerCase()));
}

/**
 * Returns the headers of a rebuilt request: `Host` from the URL, no hop-by-hop fields, and the original
 * framing. Undefined when the framing is ambiguous.
 */
export function rebuildRequestHeaders(
  method: string,
  fields: HeaderFields,
  host: string,
): HeaderFields | undefined {
  const codings = fields.filter(([name]) => name.toLowerCase() === 'transfer-encoding');
  if (codings.some(([, value]) => value.trim().toLowerCase() !== 'chunked') || codings.length > 1)
    return undefined;
  const isChunked = codings.length === 1;
  const left = isChunked ? ['host', 'expect', 'content-length'] : ['host', 'expect'];
  const remaining = dropHopByHop(fields).filter(([name]) => !left.includes(name.toLowerCase()));
  const hasLength = remaining.some(([name]) => name.toLowerCase() === 'content-length');
  return [['Host', host], ...remaining, ...frame(method, isChunked, hasLength), ['Connection', 'close']];
}

/** States explicitly that there is no body, because Node's client would otherwise announce one. */
function frame(method: string, isChunked: boolean, hasLength: boolean): HeaderFields {
  if (isChunked) return [['Transfer-Encoding', 'chunked']];
  return hasLength || BODILESS.includes(method) ? [] : [['Content-Length', '0']];
}

const BODILESS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];
