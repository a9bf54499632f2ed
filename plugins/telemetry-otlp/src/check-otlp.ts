import { resolve } from 'node:path';
import { findHeaderFault } from '@portolan/outbound';
import { type KindProblem, parseDuration, readSmallFileSync } from '@portolan/plugin-api';
import type { OtlpConfig } from './otlp-config.ts';
import { parseEndpoint } from './parse-endpoint.ts';

/** Checks the settings. Messages never repeat header values. */
export function checkOtlp(
  config: OtlpConfig,
  { directory }: { readonly directory: string },
): readonly KindProblem[] {
  const { endpoint, caCertPath, exportInterval, headers } = config;
  const problems: KindProblem[] = [];
  const address = parseEndpoint(config);
  if ('fault' in address) {
    // The address may contain a password, so the message does not show it.
    const found = endpoint.includes('@') ? 'an address that is not shown' : JSON.stringify(endpoint);
    problems.push({ place: 'endpoint', found, expected: address.fault });
  }
  const everyMs = parseDuration(exportInterval);
  if (everyMs < 1000 || everyMs > 3_600_000) {
    problems.push({
      place: 'exportInterval',
      found: `"${exportInterval}"`,
      expected: 'a duration from 1s to 1h',
    });
  }
  for (const [name, value] of Object.entries(headers)) {
    const fault = headerFault(name, value);
    if (fault !== undefined)
      problems.push({ place: 'headers', found: fault, expected: 'valid HTTP headers' });
  }
  if (caCertPath !== undefined) problems.push(...caFault(resolve(directory, caCertPath)));
  return problems;
}

function headerFault(name: string, value: string): string | undefined {
  const shown = JSON.stringify(name);
  const fault = findHeaderFault(name, value);
  if (fault?.part === 'restricted' || name.toLowerCase() === 'content-type')
    return `${shown}, which Portolan sets`;
  if (fault === undefined) return undefined;
  return fault.part === 'name'
    ? `${shown}, which ${fault.because}`
    : `a value of ${shown} that ${fault.because}`;
}

function caFault(file: string): readonly KindProblem[] {
  try {
    if (readSmallFileSync(file).includes('-----BEGIN CERTIFICATE-----')) return [];
  } catch {
    return [{ place: 'caCertPath', found: `"${file}", which cannot be read`, expected: 'a file' }];
  }
  return [{ place: 'caCertPath', found: `"${file}" without a certificate`, expected: 'PEM certificates' }];
}
