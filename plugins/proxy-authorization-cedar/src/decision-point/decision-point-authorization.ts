import type { ProxyMiddlewareKind, KindProblem } from '@portolan/plugin-api';
import { Denials } from '../denials/denials.ts';
import { decisionPointConfig, type DecisionPointConfig } from './decision-point-config.ts';
import { DecisionPoint } from './decision-point.ts';
import { DecisionPointAuthorizer } from './decision-point-authorizer.ts';
import { isLoopbackHost } from '@portolan/outbound';

export const decisionPointAuthorization: ProxyMiddlewareKind<typeof decisionPointConfig> = {
  kind: 'decision-point',
  placed: 'authorize',
  config: decisionPointConfig,
  check: checkDecisionPoint,
  create: async ({ pdp }, context) => {
    const { workload, openFetch, environment, logger } = context;
    // The operator configures the address, usually on the same host or network.
    const opened = await openFetch({ allowPrivateAddresses: true, environment });
    const authorizer = new DecisionPointAuthorizer({
      settings: pdp,
      point: new DecisionPoint(pdp.http, opened.fetch),
      server: workload.server,
      denials: new Denials('decision-point', context),
      logger,
    });
    return {
      onMessage: (message, exchange) => authorizer.onMessage(message, exchange),
      onResponse: (message, exchange) => authorizer.onResponse(message, exchange),
      close: async () => {
        await authorizer.close();
        await opened.close();
      },
    };
  },
};

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
