import { type KindProblem, parseDuration } from '@portolan/plugin-api';
import type { ApiConfig } from './api-config.ts';
import { findEndpointFault } from './endpoint.ts';

const LONGEST_TIMEOUT_MS = 300_000;

/** What is wrong with a block and cannot be said by its schema. */
export function checkApi(config: ApiConfig): readonly KindProblem[] {
  const fault = findEndpointFault(config.endpoint);
  return [...(fault === undefined ? [] : [{ place: 'endpoint', ...fault }]), ...checkTimeout(config)];
}

function checkTimeout({ timeout }: ApiConfig): readonly KindProblem[] {
  const timeoutMs = parseDuration(timeout);
  if (timeoutMs > 0 && timeoutMs <= LONGEST_TIMEOUT_MS) return [];
  const found = JSON.stringify(timeout);
  return [{ place: 'timeout', found, expected: 'a duration above zero and at most 5m' }];
}
