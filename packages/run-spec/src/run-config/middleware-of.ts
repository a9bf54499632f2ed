import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject } from '../document/json-members.ts';
import { asksForTokens } from './oidc-config.ts';
import { POLICIES } from './policies.ts';
import type { RunConfig } from './run-config.ts';

export interface NamedMiddleware {
  readonly type: string;
  /** Settings of the middleware; undefined to use those in the configuration of Portolan. */
  readonly parameters: JsonObject | undefined;
  readonly place: string;
}

const FIELD = 'additional_middleware_configs';

/**
 * Returns the middleware of a workload: its policies, then the explicit list, which `findMiddlewareFaults`
 * has checked.
 */
export function middlewareOf(config: RunConfig): readonly NamedMiddleware[] {
  const policies = POLICIES.flatMap(({ kind, place, parametersOf }) => {
    const parameters = parametersOf(config);
    return parameters === undefined ? [] : [{ type: kind, parameters: withoutNulls(parameters), place }];
  });
  return [...policies, ...addedMiddleware(config)];
}

/** Returns what protects a workload, in words, in the order of the policies. */
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
 * Returns problems of the explicit middleware list with their paths. It does not check that a kind exists,
 * because plugins define the kinds.
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
      // An unknown key may be a setting that protects the workload, so it is not ignored.
      ...(other === undefined
        ? []
        : [
            `${place}: found the unknown key ${JSON.stringify(other.slice(0, 60))}; expected type, parameters`,
          ]),
    ];
  });
}

/**
 * Removes null members, which other tools write for absent values and empty lists. Keeps null items of a
 * list.
 */
function withoutNulls(value: JsonObject): JsonObject {
  const members = Object.entries(value).filter(([, member]) => member !== null && member !== undefined);
  return Object.fromEntries(members.map(([key, member]) => [key, without(member)]));
}

function without(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(without);
  return isJsonObject(value) ? withoutNulls(value) : value;
}
