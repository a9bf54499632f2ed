import { createServer } from 'node:http';
import type { PluginContext } from '@portolan/plugin-api';
import { telemetryContract } from '@portolan/plugin-testing';
import { startOtlpCollector } from '../../../test/support/otlp/otlp-collector.ts';
import { otlpTelemetry } from '../src/index.ts';

const BLOCK = { insecure: true, headers: {}, exportInterval: '60s' } as const;

telemetryContract({
  name: 'otlp',
  kind: otlpTelemetry,
  blocks: [
    { ...BLOCK, endpoint: 'localhost:4318' },
    { ...BLOCK, insecure: false, endpoint: 'https://otlp.acme.example/tenant-1/', headers: { 'x-key': 'k' } },
  ],
  open: async (context) => {
    const collector = await startOtlpCollector();
    return {
      telemetry: await otlpTelemetry.create({ ...BLOCK, endpoint: collector.address }, context),
      spans: () => collector.spans,
      metrics: () => collector.metrics,
      close: () => collector.close(),
    };
  },
  createUnheard: async (context: PluginContext) =>
    await otlpTelemetry.create({ ...BLOCK, endpoint: await closedAddress() }, context),
});

/** Of a port at which nobody listens any more. */
async function closedAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `127.0.0.1:${address.port}`;
}
