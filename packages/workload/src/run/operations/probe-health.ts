import http from 'node:http';
import { isJsonObject, memberOf, readJson, textMember } from '@portolan/run-spec';

/** What the proxy of a workload says about itself, or that nobody or somebody else answers there. */
export type ProbedHealth =
  | { readonly answer: 'own'; readonly status: 'healthy' | 'degraded' | 'unhealthy'; readonly why: string }
  | { readonly answer: 'foreign' }
  | { readonly answer: 'none'; readonly why: string };

export interface ProbeOptions {
  /** Of the supervisor that should answer. */
  readonly instance: string;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

const MOST_BYTES = 64 * 1024;
const STATUSES = ['healthy', 'degraded', 'unhealthy'] as const;

/** Asks the proxy behind a workload's URL how it is. Never throws but the signal's reason. */
export async function probeHealth(url: string, options: ProbeOptions): Promise<ProbedHealth> {
  const { timeoutMs, signal } = options;
  const limit = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(signal === undefined ? [] : [signal])]);
  try {
    const report = await readReport(new URL('/health', url), limit);
    return judge(report, options.instance);
  } catch (error) {
    signal?.throwIfAborted();
    const isLate = limit.aborted;
    const why = isLate
      ? `no answer within ${timeoutMs} ms`
      : error instanceof Error
        ? error.message
        : String(error);
    return { answer: 'none', why };
  }
}

function judge(report: unknown, instance: string): ProbedHealth {
  const status = STATUSES.find((one) => one === memberOf(report, 'status'));
  if (status === undefined || instance === '' || memberOf(report, 'instance') !== instance) {
    return { answer: 'foreign' };
  }
  return { answer: 'own', status, why: textMember(memberOf(report, 'mcp'), 'error') ?? '' };
}

/** A connection of its own: what is kept open would keep the process from ending. */
async function readReport(url: URL, signal: AbortSignal): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const request = http.get(url, { agent: false, signal }, (response) => {
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (chunk: string) => {
      text += chunk;
      if (text.length > MOST_BYTES) request.destroy(new Error('the answer is too long'));
    });
    response.once('end', () => resolve(text));
    response.once('error', reject);
  });
  request.once('error', reject);
  const reading = readJson(await promise);
  return 'value' in reading && isJsonObject(reading.value) ? reading.value : undefined;
}
