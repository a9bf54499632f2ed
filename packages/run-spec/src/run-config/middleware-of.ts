import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject } from '../document/json-members.ts';
import { withoutNulls } from '../document/without-nulls.ts';
import { asksForTokens } from './oidc-config.ts';
import { POLICIES } from './policies.ts';
import type { RunConfig } from './run-config.ts';

export interface NamedMiddleware {
  readonly type: string;
  /** Settings of the kind; undefined for those in the configuration. */
  readonly parameters: JsonObject | undefined;
  readonly place: string;
}

const FIELD = 'additional_middleware_configs';

/** Policies come first, then the explicit list, which `findMiddlewareFaults` has checked. */
export function middlewareOf(config: RunConfig): readonly NamedMiddleware[] {
  const policies = POLICIES.flatMap(({ kind, place, parametersOf }) => {
    const parameters = parametersOf(config);
    return parameters === undefined ? [] : [{ type: kind, parameters: withoutNulls(parameters), place }];
  });
  return [...policies, ...addedMiddleware(config)];
}

/** Keeps the order of the policies. */
export function protectionsOf(config: RunConfig): readonly string[] {
  return [
    ...(asksForTokens(config.oidc_config) ? ['who may call it'] : []),
    ...POLICIES.filter(({ parametersOf }) => parametersOf(config) !== undefined).map(
      ({ protects }) => protects,
    ),
    ...addedMiddleware(config).map(({ type }) => type),
  ];
}

function addedMiddleware(config: Pick<RunConfig, typeof FIELD>): readonly NamedMiddleware[] {
  return config[FIELD].map(({ type, parameters }, index) => ({
    type: typeof type === 'string' ? type : '',
    parameters: isJsonObject(parameters) ? parameters : undefined,
    place: `${FIELD}[${index}].parameters`,
  }));
}

/**
 * Returns the faults of the middleware with their places. Only a program with plugins knows whether a kind
 * exists.
 */
export function findMiddlewareFaults(config: Pick<RunConfig, typeof FIELD>): readonly string[] {
  return config[FIELD].flatMap((item, index) => {
    const place = `${FIELD}[${index}]`;
    const { type, parameters } = item;
    const other = Object.keys(item).find((key) => key !== 'type' && key !== 'parameters');
    const hasParameters = parameters !== undefined && parameters !== null;
    return [
      ...(typeof type === 'string' && type !== '' ? [] : [`${place}.type: expected the name of a kind`]),
      ...(hasParameters && !isJsonObject(parameters) ? [`${place}.parameters: expected a map`] : []),
      // An unknown key could be what makes the middleware a protection.
      ...(other === undefined
        ? []
        : [
            `${place}: found the unknown key ${JSON.stringify(other.slice(0, 60))}; expected type, parameters`,
          ]),
    ];
  });
}
