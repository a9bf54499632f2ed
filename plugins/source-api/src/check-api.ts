import { type KindProblem, parseDuration } from '@portolan/plugin-api';
import type { ApiConfig } from './api-config.ts';
import { checkCredentials } from './check-credentials.ts';
import { findEndpointFault } from './endpoint.ts';

const MAX_TIMEOUT_MS = 300_000;

export function checkApi(config: ApiConfig): readonly KindProblem[] {
  const fault = findEndpointFault(config.endpoint);
  return [
    ...(fault === undefined ? [] : [{ place: 'endpoint', ...fault }]),
    ...checkTimes(config),
    ...checkCredentials(config),
  ];
}

function checkTimes({ timeout, fullSyncInterval }: ApiConfig): readonly KindProblem[] {
  const timeoutMs = parseDuration(timeout);
  const problems: KindProblem[] = [];
  if (timeoutMs <= 0 || timeoutMs > MAX_TIMEOUT_MS) {
    const found = JSON.stringify(timeout);
    problems.push({ place: 'timeout', found, expected: 'a duration above zero and at most 5m' });
  }
  if (parseDuration(fullSyncInterval) < 1000) {
    const found = JSON.stringify(fullSyncInterval);
    problems.push({ place: 'fullSyncInterval', found, expected: 'a duration of 1s or more' });
  }
  return problems;
}
