import { createServer, type IncomingHttpHeaders } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { type DecodedMetric, type DecodedSpan, decodeMetrics, decodeSpans } from './decode-otlp.ts';

export interface ReceivedRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

/** Response of a collector. `hang` never responds. */
export type CollectorResponse =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: Uint8Array }
  | 'hang';

/** A collector on loopback that decodes requests and rejects those that are not OTLP. */
export interface OtlpCollector {
  /** `127.0.0.1:PORT` */
  readonly address: string;
  readonly requests: readonly ReceivedRequest[];
  /** All received spans, in the order of their ends. */
  readonly spans: readonly DecodedSpan[];
  /** Metrics of the last request. */
  readonly metrics: readonly DecodedMetric[];
  /** Requests that were not OTLP. */
  readonly faults: readonly string[];
  /** Response from now on. The initial status is 200. */
  answer: (request: ReceivedRequest) => CollectorResponse;
  close(): Promise<void>;
}

export async function startOtlpCollector(): Promise<OtlpCollector> {
  const requests: ReceivedRequest[] = [];
  const spans: DecodedSpan[] = [];
  const faults: string[] = [];
  let metrics: readonly DecodedMetric[] = [];
  const take = (path: string, contentType: string | undefined, body: Uint8Array): void => {
    if (contentType !== 'application/x-protobuf') throw new Error(`content type ${contentType}`);
    if (path.endsWith('/v1/traces')) spans.push(...decodeSpans(body));
    else if (path.endsWith('/v1/metrics')) metrics = decodeMetrics(body);
    else throw new Error(`path ${path}`);
  };
  const server = createServer(async (req, res) => {
    const request = { path: req.url ?? '', headers: req.headers };
    const body = await buffer(req);
    requests.push(request);
    // The constructor's caller sets the field before the first request.
    const response = collector.answer(request);
    if (response === 'hang') return;
    if (response.status === 200) {
      try {
        take(request.path, req.headers['content-type'], body);
      } catch (error) {
        faults.push(String(error));
      }
    }
    res.writeHead(response.status, response.headers).end(response.body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const collector: OtlpCollector = {
    address: `127.0.0.1:${address.port}`,
    requests,
    spans,
    get metrics() {
      return metrics;
    },
    faults,
    answer: () => ({ status: 200 }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return collector;
}
