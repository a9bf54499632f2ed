import { connect } from 'node:net';
import { joinAddress } from '@portolan/plugin-api';
import { isJsonObject, memberOf, readJson, textMember } from '@portolan/run-spec';

/**
 * Result of a health check: `own` means that the workload's proxy responded, `foreign` another program, and
 * `none` no program.
 */
export type ProbedHealth =
  | { readonly outcome: 'own'; readonly status: 'healthy' | 'degraded' | 'unhealthy'; readonly why: string }
  | { readonly outcome: 'foreign' }
  | { readonly outcome: 'none'; readonly why: string };

export interface ProbeOptions {
  /** Identifier of the supervisor whose proxy should respond. */
  readonly instance: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

const MAX_BYTES = 64 * 1024;
const HEAD_END = '\r\n\r\n';
const STATUSES = ['healthy', 'degraded', 'unhealthy'] as const;

/** Requests `/health` from a workload's proxy. Rejects only with the signal's reason. */
export async function probeHealth(url: string, options: ProbeOptions): Promise<ProbedHealth> {
  const { timeoutMs, signal } = options;
  const limit = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])]);
  try {
    const report = await readReport(joinAddress(new URL(url), '/health'), limit);
    return judge(report, options.instance);
  } catch (error) {
    signal?.throwIfAborted();
    const isLate = limit.aborted;
    const why = isLate
      ? `no response within ${timeoutMs} ms`
      : error instanceof Error
        ? error.message
        : String(error);
    return { outcome: 'none', why };
  }
}

function judge(report: unknown, instance: string): ProbedHealth {
  const status = STATUSES.find((one) => one === memberOf(report, 'status'));
  if (status === undefined || instance === '' || memberOf(report, 'instance') !== instance) {
    return { outcome: 'foreign' };
  }
  return { outcome: 'own', status, why: textMember(memberOf(report, 'mcp'), 'error') ?? '' };
}

/**
 * Reads the health report from a TCP socket, because loading `node:http` takes longer than listing ten
 * workloads. HTTP/1.0 avoids chunked encoding and persistent connections (RFC 9112, sections 6.1 and 9.3).
 */
async function readReport(
  { protocol, hostname, port, host, pathname }: URL,
  signal: AbortSignal,
): Promise<unknown> {
  if (protocol !== 'http:') throw new Error(`found the protocol ${protocol}; expected http:`);
  const socket = connect({ host: hostname.replace(/^\[|\]$/g, ''), port: Number(port || 80), signal });
  try {
    socket.setEncoding('utf8');
    socket.write(`GET ${pathname} HTTP/1.0\r\nHost: ${host}\r\nAccept: application/json\r\n\r\n`);
    let text = '';
    for await (const chunk of socket) {
      text += String(chunk);
      if (text.length > MAX_BYTES) throw new Error('the response is too long');
    }
    const reading = readJson(text.slice(text.indexOf(HEAD_END) + HEAD_END.length));
    return text.startsWith('HTTP/1.') && 'value' in reading && isJsonObject(reading.value)
      ? reading.value
      : undefined;
  } finally {
    socket.destroy();
  }
}
