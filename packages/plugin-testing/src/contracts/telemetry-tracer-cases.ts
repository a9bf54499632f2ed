import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SpanIds, TraceHeaders } from '@portolan/plugin-api';
import { expect } from 'chai';
import { type ContractCase, rejectionOf } from './contract-case.ts';
import { collect, type TelemetryUnderTest, trace } from './telemetry-under-test.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SENDER = 'b7ad6b7169203331';

const UNREADABLE: readonly TraceHeaders[] = [
  {},
  { traceparent: '' },
  { traceparent: 'nonsense' },
  { traceparent: `00-${TRACE}` },
  { traceparent: `00-${'0'.repeat(32)}-${SENDER}-01` },
  { traceparent: `00-${TRACE}-${'0'.repeat(16)}-01` },
  { traceparent: `ff-${TRACE}-${SENDER}-01` },
  { traceparent: `00-${TRACE.toUpperCase()}-${SENDER}-01` },
  { traceparent: `00-${TRACE}-${SENDER}-01-more` },
  { traceparent: [`00-${TRACE}-${SENDER}-01`, `00-${TRACE}-${SENDER}-01`] },
  { tracestate: 'vendor=1' },
];

export function tracerCases(options: TelemetryUnderTest): readonly ContractCase[] {
  return [
    {
      title: 'records nested spans, also after an await',
      run: async () => {
        const { span, spans } = await trace(options, async (tracer) => {
          await tracer.trace(
            { name: 'outer', attributes: { from: 'suite', count: 2, good: true } },
            async () => {
              await nextTurn();
              tracer.trace({ name: 'inner', kind: 'client' }, (inner) => inner.set({ found: 3 }));
              tracer.record({ name: 'done', durationMs: 5, attributes: { of: 'it' } });
            },
          );
        });
        const outer = span('outer');
        expect(spans).to.have.length(3);
        expect(outer).to.include({ kind: 'internal', parentSpanId: undefined, failed: false });
        expect(outer.attributes).to.include({ from: 'suite', count: 2, good: true });
        for (const name of ['inner', 'done'])
          expect(span(name)).to.include({ traceId: outer.traceId, parentSpanId: outer.spanId });
        expect(span('inner').kind).to.equal('client');
        expect(span('inner').attributes).to.include({ found: 3 });
      },
    },
    {
      title: 'records nothing outside of a span, or after its end',
      run: async () => {
        const { spans } = await trace(options, async (tracer) => {
          tracer.record({ name: 'lost', durationMs: 1 });
          let later = Promise.resolve();
          tracer.trace({ name: 'over' }, () => {
            later = nextTurn().then(() => tracer.record({ name: 'lost', durationMs: 1 }));
          });
          await later;
          expect(tracer.current()).to.equal(undefined);
        });
        expect(spans.map(({ name }) => name)).to.deep.equal(['over']);
      },
    },
    {
      title: 'continues the trace of an incoming request, and passes it on',
      run: async () => {
        let sent: Readonly<Record<string, string>> = {};
        let ids: SpanIds | undefined;
        const { span } = await trace(options, (tracer) => {
          const parent = { traceparent: `00-${TRACE}-${SENDER}-01`, tracestate: 'vendor=1' };
          tracer.trace({ name: 'GET', kind: 'server', parent }, (running) => {
            running.rename('GET /things/{id}');
            sent = tracer.headers();
            ids = tracer.current();
          });
        });
        const collectedSpan = span('GET /things/{id}');
        expect(collectedSpan).to.include({ traceId: TRACE, parentSpanId: SENDER, kind: 'server' });
        expect(ids).to.deep.equal({ traceId: TRACE, spanId: collectedSpan.spanId });
        expect(sent).to.deep.equal({
          traceparent: `00-${TRACE}-${collectedSpan.spanId}-01`,
          tracestate: 'vendor=1',
        });
      },
    },
    {
      title: 'starts a new trace when the headers are invalid',
      run: async () => {
        const { spans } = await trace(options, (tracer) => {
          tracer.trace({ name: 'around' }, () => {
            for (const parent of UNREADABLE)
              tracer.trace({ name: 'asked', kind: 'server', parent }, () => undefined);
          });
        });
        const requestedSpans = spans.filter(({ name }) => name === 'asked');
        expect(requestedSpans.map(({ parentSpanId }) => parentSpanId)).to.deep.equal(
          UNREADABLE.map(() => undefined),
        );
        expect(new Set(spans.map(({ traceId }) => traceId)).size).to.equal(UNREADABLE.length + 1);
      },
    },
    {
      title: 'records nothing that the sender has not sampled, nor anything below it',
      run: async () => {
        const { spans } = await trace(options, async (tracer) => {
          const parent = { traceparent: `00-${TRACE}-${SENDER}-00` };
          await tracer.trace({ name: 'asked', kind: 'server', parent }, async (span) => {
            expect(span.ids).to.equal(undefined);
            expect(tracer.current()).to.equal(undefined);
            expect(tracer.headers()['traceparent']).to.match(new RegExp(`^00-${TRACE}-[0-9a-f]{16}-00$`));
            await nextTurn();
            tracer.trace({ name: 'below' }, () => tracer.record({ name: 'done', durationMs: 1 }));
          });
        });
        expect(spans).to.deep.equal([]);
      },
    },
    {
      title: 'samples a share of requests, and all work of the host itself',
      run: async () => {
        const tracing = { sampling: 1e-9 };
        const { spans } = await collect(options, { tracing }, ({ tracer }) => {
          for (let turn = 0; turn < 50; turn += 1)
            tracer?.trace({ name: 'asked', kind: 'server', parent: {} }, () => undefined);
          tracer?.trace({ name: 'own', parent: {} }, () => undefined);
        });
        expect(spans.map(({ name }) => name)).to.deep.equal(['own']);
      },
    },
    {
      title: 'returns results and errors of the work, and records a failure without its message',
      run: async () => {
        const error = Object.assign(new Error('the secret is 4711'), { code: 'SUITE_BROKE' });
        const { span } = await trace(options, async (tracer) => {
          expect(tracer.trace({ name: 'answers' }, () => 42)).to.equal(42);
          expect(await tracer.trace({ name: 'waits' }, async () => 43)).to.equal(43);
          const fail = async (): Promise<void> => {
            throw error;
          };
          expect(await rejectionOf(tracer.trace({ name: 'rejects' }, fail))).to.equal(error);
          const thrown = (): unknown => {
            try {
              return tracer.trace({ name: 'throws' }, () => {
                throw error;
              });
            } catch (caught) {
              return caught;
            }
          };
          expect(thrown()).to.equal(error);
        });
        for (const name of ['rejects', 'throws']) {
          expect(span(name).failed, name).to.equal(true);
          expect(span(name).attributes).to.include({ 'error.type': 'SUITE_BROKE' });
          expect(span(name).text).not.to.include('4711');
        }
        expect(span('answers').failed).to.equal(false);
      },
    },
    {
      title: 'records declared failures, but not mistakes of the caller',
      run: async () => {
        const mistake = Object.assign(new Error('bad'), { status: 404, code: 'SUITE_ASKED' });
        const { span } = await trace(options, async (tracer) => {
          tracer.trace({ name: 'said' }, (running) => running.fail('SUITE_SAID'));
          const refuse = async (): Promise<void> => {
            throw mistake;
          };
          await rejectionOf(tracer.trace({ name: 'refused' }, refuse));
        });
        expect(span('said')).to.include({ failed: true });
        expect(span('said').attributes).to.include({ 'error.type': 'SUITE_SAID' });
        expect(span('refused')).to.include({ failed: false });
      },
    },
    {
      title: 'lets a span end before its work, and run more work below it',
      run: async () => {
        const { span, spans } = await trace(options, async (tracer) => {
          await tracer.trace({ name: 'request' }, async (request) => {
            await tracer.trace({ name: 'first' }, async (first) => {
              first.end();
              first.end();
              await request.run(async () => {
                await nextTurn();
                tracer.trace({ name: 'second' }, () => undefined);
              });
            });
          });
        });
        expect(spans).to.have.length(3);
        for (const name of ['first', 'second'])
          expect(span(name).parentSpanId).to.equal(span('request').spanId);
      },
    },
  ];
}
