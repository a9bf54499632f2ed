import type { JsonObject } from '@portolan/plugin-api';
import { isJsonObject } from '../document/json-members.ts';
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

/** What stands in a list that `findMiddlewareFaults` has no fault of. */
export function middlewareOf(config: Pick<RunConfig, typeof FIELD>): readonly NamedMiddleware[] {
  return config[FIELD].map(({ type, parameters }, index) => ({
    type: typeof type === 'string' ? type : '',
    parameters: isJsonObject(parameters) ? parameters : undefined,
    place: `${FIELD}[${index}]`,
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
