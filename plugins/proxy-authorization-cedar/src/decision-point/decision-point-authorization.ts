import type { ProxyMiddlewareKind } from '@portolan/plugin-api';
import { Denials } from '../denials/denials.ts';
import { checkDecisionPoint } from './check-decision-point.ts';
import { decisionPointConfig } from './decision-point-config.ts';
import { DecisionPoint } from './decision-point.ts';
import { DecisionPointAuthorizer } from './decision-point-authorizer.ts';

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
