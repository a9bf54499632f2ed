import type { Plugin } from '@portolan/plugin-api';
import { BUILT_IN, isBuiltIn } from '../hooks/is-built-in.ts';
import type { LoadedPlugin } from './import-plugin.ts';

/** Wraps a plugin of the program, which is applied first and which a configuration cannot disable. */
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
