import { PortolanError } from '@portolan/plugin-api';

export interface PluginCommandEnd {
  readonly status: number;
  /** Undefined: it ended as it wanted, and there is nothing to say. */
  readonly error: PortolanError | undefined;
}

/**
 * How a command of an installed plugin has ended, when it did so in the way of
 * the framework underneath: with an exit status of its own, or with an error
 * that has one. Undefined for every other error, and for those of the parser.
 */
export function endOfPluginCommand(error: unknown): PluginCommandEnd | undefined {
  if (!(error instanceof Error) || !('oclif' in error) || 'parse' in error) return undefined;
  const { oclif } = error;
  if (typeof oclif !== 'object' || oclif === null || !('exit' in oclif) || typeof oclif.exit !== 'number') {
    return undefined;
  }
  if ('code' in error && error.code === 'EEXIT') return { status: oclif.exit, error: undefined };
  const suggestions = 'suggestions' in error && Array.isArray(error.suggestions) ? error.suggestions : [];
  const hint = suggestions.filter((one: unknown) => typeof one === 'string').join('; ');
  return {
    // The framework's own default says that the command line was wrong, which it does not know.
    status: oclif.exit === 2 ? 1 : oclif.exit,
    error: new PortolanError('ERR_PLUGIN_COMMAND', 'fault', error.message, {
      cause: error,
      ...(hint === '' ? {} : { hint }),
    }),
  };
}
