import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject } from '../document/json-members.ts';
import { withoutNulls } from '../document/without-nulls.ts';
import { asksForTokens } from './oidc-config.ts';
import { POLICIES } from './policies.ts';
import type { RunConfig } from './run-config.ts';

/** Proxy middleware that a run config asks for. */
export interface NamedMiddleware {
  /** Name of its kind. */
  readonly type: string;
  /** Settings of the kind; undefined: those that the configuration has for it. */
  readonly parameters: JsonObject | undefined;
  /** Where it stands in the run config. */
  readonly place: string;
}

const FIELD = 'additional_middleware_configs';

/**
 * What its policies ask for, then what stands in the list of which
 * `findMiddlewareFaults` has found no fault.
 */
export function middlewareOf(config: RunConfig): readonly NamedMiddleware[] {
  const policies = POLICIES.flatMap(({ kind, place, parametersOf }) => {
    const parameters = parametersOf(config);
    return parameters === undefined ? [] : [{ type: kind, parameters: withoutNulls(parameters), place }];
  });
  return [...policies, ...addedMiddleware(config)];
}

/** What protects a workload, in words, in the order of the policies. */
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

/** What is wrong with each, with its place; whether there is such a kind only a program with plugins can know. */
export function findMiddlewareFaults(config: Pick<RunConfig, typeof FIELD>): readonly string[] {
  return config[FIELD].flatMap((item, index) => {
    const place = `${FIELD}[${index}]`;
    const { type, parameters } = item;
    const other = Object.keys(item).find((key) => key !== 'type' && key !== 'parameters');
    const hasParameters = parameters !== undefined && parameters !== null;
    return [
      ...(typeof type === 'string' && type !== '' ? [] : [`${place}.type: expected the name of a kind`]),
      ...(hasParameters && !isJsonObject(parameters) ? [`${place}.parameters: expected a map`] : []),
      // It could be what makes the middleware a protection.
      ...(other === undefined
        ? []
        : [
            `${place}: found the unknown key ${JSON.stringify(other.slice(0, 60))}; expected type, parameters`,
          ]),
    ];
  });
}
