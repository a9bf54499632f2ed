import { isLoopbackHost } from '@portolan/outbound';
import type { KindProblem } from '@portolan/plugin-api';
import type { DecisionPointConfig } from './decision-point-config.ts';

export function checkDecisionPoint({ pdp: { http } }: DecisionPointConfig): readonly KindProblem[] {
  const fault = findUrlFault(http.url);
  const expected = 'an https address without login, query and fragment (http for this machine alone)';
  return [
    ...(fault === undefined ? [] : [{ place: 'pdp.http.url', found: fault, expected }]),
    ...(http.insecure_skip_verify
      ? [
          {
            place: 'pdp.http.insecure_skip_verify',
            found: 'true',
            expected: 'false, with --cli-ca-bundle for a custom certificate authority',
          },
        ]
      : []),
  ];
}

function findUrlFault(text: string): string | undefined {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return 'no such address';
  if (`${url.username}${url.password}${url.search}${url.hash}` !== '') return 'an address with more in it';
  // Over plain HTTP, a machine in the middle could allow every call.
  const isOpen = url.protocol === 'http:' && !isLoopbackHost(url.hostname);
  return isOpen ? `${url.origin} without https` : undefined;
}
