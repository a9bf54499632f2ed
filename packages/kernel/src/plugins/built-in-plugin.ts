import type { Plugin } from '@portolan/plugin-api';
import { BUILT_IN, isBuiltIn } from '../hooks/is-built-in.ts';
import type { LoadedPlugin } from './import-plugin.ts';

/**
 * Wraps a plugin that is part of the program. It is applied before the others and cannot be disabled by a
 * configuration.
 */
export function builtInPlugin(plugin: Plugin): LoadedPlugin {
  if (!isBuiltIn(plugin.name)) throw new TypeError(`"${plugin.name}" does not begin with "${BUILT_IN}"`);
  return {
    plugin,
    file: 'built in',
    specifier: plugin.name,
    options: {},
    optionsPlace: ['plugins'],
    override: false,
    shipped: true,
  };
}
