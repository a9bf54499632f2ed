import { registerContract } from './contract-case.ts';
import { telemetryCases } from './telemetry-cases.ts';
import type { TelemetryUnderTest } from './telemetry-under-test.ts';

/** Registers the mocha suite that every telemetry kind has to pass. */
export function telemetryContract(options: TelemetryUnderTest): void {
  registerContract(`telemetry contract: ${options.name}`, telemetryCases(options));
}
