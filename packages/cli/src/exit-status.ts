import { isPortolanError } from '@portolan/plugin-api';

/** 0 done; 2 the command line or the configuration cannot be used; 1 every other failure. */
export type ExitStatus = 0 | 1 | 2;

/**
 * Mistakes that are put right by changing the command line or the
 * configuration. Every other failure, known or not, is a 1.
 */
export const MISTAKES: readonly string[] = [
  'ERR_ADDRESS_INVALID',
  'ERR_BAD_ARGUMENT',
  'ERR_CERTIFICATE_FILE',
  'ERR_CONFIG_CODE',
  'ERR_CONFIG_FORMAT',
  'ERR_CONFIG_INVALID',
  'ERR_CONFIG_NOT_FOUND',
  'ERR_CONFIG_SYNTAX',
  'ERR_CONFIG_UNREADABLE',
  'ERR_CONFIRMATION_NEEDED',
  'ERR_DATABASE_URL',
  'ERR_DURATION',
  'ERR_ENTRIES_INVALID',
  'ERR_ENTRY_FILE',
  'ERR_MIDDLEWARE_PLACE',
  'ERR_NAME_TAKEN',
  'ERR_PLUGIN_API_VERSION',
  'ERR_PLUGIN_APPLY',
  'ERR_PLUGIN_CREATE',
  'ERR_PLUGIN_IMPORT',
  'ERR_PLUGIN_INSTANCE',
  'ERR_PLUGIN_KIND_CLASH',
  'ERR_PLUGIN_KIND_SHIPPED',
  'ERR_PLUGIN_MANIFEST',
  'ERR_PLUGIN_NOT_FOUND',
  'ERR_PLUGIN_SHAPE',
  'ERR_PLUGIN_TWICE',
  'ERR_PROCESS_EXITED',
  'ERR_REGISTRY_UNKNOWN',
  'ERR_SERVER_ADDRESS',
  'ERR_SOURCE_REFERENCED',
  'ERR_TOKEN_FILE',
  'ERR_UNKNOWN_COMMAND',
  'ERR_UNKNOWN_FLAG',
];

/** The exit status of a command that ended with this error. */
export function exitStatusOf(error: unknown): ExitStatus {
  return isPortolanError(error) && MISTAKES.includes(error.code) ? 2 : 1;
}

/** What a second signal leaves behind: 128 and the signal's number, as shells count. */
export const SIGNAL_STATUS = { SIGINT: 130, SIGTERM: 143 } as const;
