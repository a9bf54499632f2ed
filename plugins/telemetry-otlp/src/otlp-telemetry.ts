import { resolve } from 'node:path';
import { type TelemetryKind, readSmallFile } from '@portolan/plugin-api';
import { checkOtlp } from './check-otlp.ts';
import { endpointInvalid } from './errors.ts';
import { otlpConfig } from './otlp-config.ts';
import { parseEndpoint } from './parse-endpoint.ts';

/** Telemetry kind `otlp`. Loads the OpenTelemetry SDK on start. */
export const otlpTelemetry: TelemetryKind<typeof otlpConfig> = {
  kind: 'otlp',
  config: otlpConfig,
  hosts: ['registry-server', 'workload'],
  check: checkOtlp,
  create(config, context) {
    const address = parseEndpoint(config);
    if ('fault' in address) throw endpointInvalid(address.fault);
    return {
      start: async (options) => {
        const { caCertPath } = config;
        const ca =
          caCertPath === undefined ? undefined : await readSmallFile(resolve(context.directory, caCertPath));
        const { startOtlp } = await import('./start-otlp.ts');
        return await startOtlp(options, { config, address, ca, context });
      },
    };
  },
};
