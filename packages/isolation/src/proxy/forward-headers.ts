import { HOP_BY_HOP } from '@portolan/outbound';

/** Header fields in the order they came, names as they were written: `[name, value]`. */
export type HeaderFields = readonly (readonly [string, string])[];

/** Makes pairs of Node's flat list. */
export function readRawHeaders(raw: readonly string[]): HeaderFields {
  return Array.from(
    { length: raw.length / 2 },
    (_, at) => [raw[2 * at] ?? '', raw[2 * at + 1] ?? ''] as const,
  );
}

/**
 * What may be passed on: no field of the connection, and none that a
 * `Connection` field names. The length of the body is none of the connection's,
 * whatever is said there: without it the body would be taken for another message.
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
 * The fields of a request that is rebuilt for its URL: `Host` from the URL,
 * nothing of the connection, and the body framed as it came. Undefined when it
 * is framed in a way that cannot be passed on.
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
  const kept = dropHopByHop(fields).filter(([name]) => !left.includes(name.toLowerCase()));
  const hasLength = kept.some(([name]) => name.toLowerCase() === 'content-length');
  return [['Host', host], ...kept, ...frame(method, isChunked, hasLength), ['Connection', 'close']];
}

/** Where nothing is said about a body there is none; said aloud, since Node's client would announce one. */
function frame(method: string, isChunked: boolean, hasLength: boolean): HeaderFields {
  if (isChunked) return [['Transfer-Encoding', 'chunked']];
  return hasLength || BODILESS.includes(method) ? [] : [['Content-Length', '0']];
}

const BODILESS: readonly string[] = ['GET', 'HEAD', 'OPTIONS', 'TRACE'];
