import { PortolanError } from '@portolan/plugin-api';

export interface PluginCommandEnd {
  readonly status: number;
  /** Error to report; undefined if the command chose its exit status without an error. */
  readonly error: PortolanError | undefined;
}

/**
 * Returns the exit status and the error for a failed command of an installed plugin. Undefined for an error
 * that is not in oclif's form, or that is from oclif's parser.
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
    // oclif's default status 2 would mean a mistake in the command line, which is not known here.
    status: oclif.exit === 2 ? 1 : oclif.exit,
    error: new PortolanError('ERR_PLUGIN_COMMAND', 'fault', error.message, {
      cause: error,
      ...(hint === '' ? {} : { hint }),
    }),
  };
}
