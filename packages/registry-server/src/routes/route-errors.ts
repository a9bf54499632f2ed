import { PortolanError } from '@portolan/plugin-api';

/** Creates the error for a middleware kind that names an unknown step. */
export function middlewarePlaceUnknown(kind: string, step: string, steps: readonly string[]): PortolanError {
  return new PortolanError(
    'ERR_MIDDLEWARE_PLACE',
    'mistake',
    `Middleware "${kind}" is placed next to the unknown step "${step}"; expected one of ${steps.join(', ')}.`,
    { hint: 'Correct `placed` in the plugin.' },
  );
}

/** Creates the error for two pages, or a page and an API route, with the same address or name. */
export function pageTaken(
  { method, path, name }: { readonly method: string; readonly path: string; readonly name: string },
  other: string,
): PortolanError {
  return new PortolanError(
    'ERR_PLUGIN_KIND_CLASH',
    'mistake',
    `The page "${name}" (${method} ${path}) has the address or name of "${other}".`,
    { hint: 'Remove one kind from `pages`, or ask the author of the plugin for another address.' },
  );
}
