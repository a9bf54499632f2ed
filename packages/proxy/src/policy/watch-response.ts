import type { ServerResponse } from 'node:http';

export interface WatchedHead {
  readonly status: number;
  readonly contentType: string | undefined;
  readonly sessionId: string | undefined;
}

export interface ResponseWatch {
  readonly bytes: number;
}

type Written = readonly unknown[];

/**
 * Reports the start and the size of a response by wrapping its methods, because many places send responses.
 */
export function watchResponse(response: ServerResponse, begun: (head: WatchedHead) => void): ResponseWatch {
  const watched = { bytes: 0 };
  const writeHead = response.writeHead.bind(response);
  const write = response.write.bind(response);
  const end = response.end.bind(response);
  response.writeHead = (...inputs: Written) => {
    Reflect.apply(writeHead, response, inputs);
    begun(headOf(response, inputs));
    return response;
  };
  response.write = (...inputs: Written): boolean => {
    watched.bytes += sizeOf(inputs);
    return Boolean(Reflect.apply(write, response, inputs));
  };
  response.end = (...inputs: Written) => {
    watched.bytes += sizeOf(inputs);
    Reflect.apply(end, response, inputs);
    return response;
  };
  return watched;
}

/**
 * Returns status and headers at the start of a response. `ServerResponse` does not store the headers passed
 * to `writeHead`, so they are read from its arguments.
 */
function headOf(response: ServerResponse, inputs: Written): WatchedHead {
  const last = inputs.at(-1);
  const handed = typeof last === 'object' && last !== null ? last : {};
  const named = (name: string): string | undefined => {
    const value = handedOver(handed, name) ?? response.getHeader(name);
    return typeof value === 'string' ? value : undefined;
  };
  return {
    status: response.statusCode,
    contentType: named('content-type'),
    sessionId: named('mcp-session-id'),
  };
}

function handedOver(handed: object, name: string): unknown {
  if (!Array.isArray(handed)) {
    return Object.entries(handed).find(([key]) => key.toLowerCase() === name)?.[1];
  }
  const fields: readonly unknown[] = handed;
  const at = fields.findIndex((field, index) => index % 2 === 0 && String(field).toLowerCase() === name);
  return at < 0 ? undefined : fields[at + 1];
}

function sizeOf([chunk, encoding]: Written): number {
  if (typeof chunk === 'string') return Buffer.byteLength(chunk, encodingOf(encoding));
  return chunk instanceof Uint8Array ? chunk.byteLength : 0;
}

function encodingOf(encoding: unknown): BufferEncoding {
  return typeof encoding === 'string' && Buffer.isEncoding(encoding) ? encoding : 'utf8';
}
