import type { JsonObject } from '@portolan/plugin-api';
import type { RunConfig } from './run-config.ts';
import { telemetryParameters, traceParameters } from './telemetry-parameters.ts';
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
    parametersOf: auditParameters,
  },
  {
    kind: 'telemetry',
    place: 'telemetry_config',
    protects: 'that calls are traced and measured',
    parametersOf: telemetryParameters,
  },
  {
    kind: 'cedar',
    place: 'authz_config',
    protects: 'what callers may do',
    parametersOf: ({ authz_config: authz, authz_config_path: path }) =>
      authz === undefined || authz['type'] === 'httpv1'
        ? undefined
        : { ...authz, ...(path === '' ? {} : { path }) },
  },
  {
    kind: 'decision-point',
    place: 'authz_config',
    protects: 'what callers may do, as a service decides',
    // Its file is not read again: the policies are elsewhere.
    parametersOf: ({ authz_config: authz }) => (authz?.['type'] === 'httpv1' ? authz : undefined),
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
  {
    kind: 'trace-context',
    place: 'telemetry_config',
    protects: 'that the server knows the trace of a call',
    parametersOf: traceParameters,
  },
];

/** Whoever has the field wants it: `enabled` is of other tools, which also name standard output by an empty text. */
function auditParameters({ audit_config: audit }: RunConfig): JsonObject | undefined {
  if (audit === undefined || audit['logFile'] !== '') return audit;
  return Object.fromEntries(Object.entries(audit).filter(([key]) => key !== 'logFile'));
}
