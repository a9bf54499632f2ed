import type { ProxyMiddlewareKind, KindProblem } from '@portolan/plugin-api';
import { cedarConfig, type CedarConfig } from './cedar-config.ts';
import { openAuthorizer } from './open-authorizer.ts';
import { readPolicies } from './policies/policy-set.ts';
import { findDoubts } from './policies/validate-policies.ts';

export const cedarAuthorization: ProxyMiddlewareKind<typeof cedarConfig> = {
  kind: 'cedar',
  placed: 'authorize',
  config: cedarConfig,
  check: checkCedar,
  create: (config, context) => openAuthorizer(config, context),
};

/** Checks the settings. Reports findings of Cedar's validator as warnings. */
export function checkCedar({ cedar }: CedarConfig): readonly KindProblem[] {
  const read = readPolicies(cedar);
  return 'policies' in read
    ? findDoubts(read, cedar.group_entity_type).map((doubt) => ({ ...doubt, isWarning: true }))
    : read;
}
