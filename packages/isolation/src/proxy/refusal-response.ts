import type { EgressRefusal, EgressRefusalReason } from '../policy/egress-event.ts';

export const REFUSED_HEADER = 'Portolan-Refused';

export interface RefusalResponse {
  readonly status: number;
  /** Reason phrase, which is all that many clients show of a response to CONNECT. */
  readonly phrase: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export function describeRefusal({ reason, text }: EgressRefusal): RefusalResponse {
  const shown = text.replace(/[^\x20-\x7e]/g, '?').slice(0, 400);
  const body = `Refused by the network isolation of this workload: ${shown}.\n`;
  return {
    status: STATUS[reason] ?? 403,
    phrase: `Refused: ${shown}`,
    headers: {
      [REFUSED_HEADER]: `${reason}; ${shown}`,
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      Connection: 'close',
    },
    body,
  };
}

export function describeFailure(host: string, failure: string): RefusalResponse {
  const body = `Allowed, but ${host} cannot be reached: ${failure}.\n`;
  return {
    status: failure === 'ETIMEDOUT' ? 504 : 502,
    phrase: `Unreachable: ${failure.replace(/[^\w-]/g, '?')}`,
    headers: {
      'Content-Type': 'text/plain; charset=utf-8',
      'Content-Length': String(Buffer.byteLength(body)),
      Connection: 'close',
    },
    body,
  };
}

/** Serializes the response for a connection that Node's server no longer handles. */
export function writeResponse({ status, phrase, headers, body }: RefusalResponse): string {
  const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${phrase}\r\n${fields.join('')}\r\n${body}`;
}

const STATUS: Partial<Readonly<Record<EgressRefusalReason, number>>> = {
  'request-invalid': 400,
  'host-invalid': 400,
  'name-not-resolved': 502,
  'surroundings-unknown': 503,
  'too-many-connections': 503,
};
