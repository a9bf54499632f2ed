import type { JsonObject } from '@portolan/plugin-api';
import type { RunConfig } from './run-config.ts';
import { tokenExchangeParameters } from './token-exchange.ts';
import { webhookParameters } from './webhooks.ts';

/** A policy that fields of a run config ask for. */
export interface PolicyRow {
  /** Name of the kind of proxy middleware that enforces it. */
  readonly kind: string;
  /** The field that asks for it, for messages. */
  readonly place: keyof RunConfig;
  /** What it is for, as `status` and `plan` say it: `what callers may do`. */
  readonly protects: string;
  /** Settings of the kind; undefined where the run config does not ask for it. */
  readonly parametersOf: (config: RunConfig) => JsonObject | undefined;
}

/** Every policy of Portolan's own. Of two that stand in one slot of the message path, the first comes first. */
export const POLICIES: readonly PolicyRow[] = [
  {
    kind: 'audit',
    place: 'audit_config',
    protects: 'that calls are recorded',
    // Whoever has it wants it: `enabled` is of other tools.
    parametersOf: ({ audit_config: audit }) => audit,
  },
  {
    kind: 'cedar',
    place: 'authz_config',
    protects: 'what callers may do',
    parametersOf: ({ authz_config: authz, authz_config_path: path }) =>
      authz === undefined ? undefined : { ...authz, ...(path === '' ? {} : { path }) },
  },
  {
    kind: 'tool-filter',
    place: 'tools_filter',
    protects: 'which tools clients see',
    parametersOf: ({ tools_filter: tools, tools_override: override }) =>
      tools.length === 0 && Object.keys(override).length === 0
        ? undefined
        : {
            tools,
            override: Object.fromEntries(Object.entries(override).map(([tool, { ...to }]) => [tool, to])),
          },
  },
  {
    kind: 'mutating-webhooks',
    place: 'mutating_webhooks',
    protects: 'what is changed in a call',
    parametersOf: ({ mutating_webhooks: webhooks }) => webhookParameters(webhooks),
  },
  {
    kind: 'validating-webhooks',
    place: 'validating_webhooks',
    protects: 'what is asked before a call',
    parametersOf: ({ validating_webhooks: webhooks }) => webhookParameters(webhooks),
  },
  {
    kind: 'rate-limit',
    place: 'rate_limit_config',
    protects: 'how often it may be called',
    parametersOf: ({ rate_limit_config: limits, rate_limit_namespace: namespace }) =>
      limits === undefined || namespace === '' ? limits : { ...limits, namespace },
  },
  {
    kind: 'token-exchange',
    place: 'token_exchange_config',
    protects: 'that callers keep their tokens to themselves',
    parametersOf: tokenExchangeParameters,
  },
];
