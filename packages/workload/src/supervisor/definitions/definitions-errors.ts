import { PortolanError } from '@portolan/plugin-api';
import { quote } from '@portolan/run-spec';

/** Creates the error for a workload whose definitions cannot be read. `why` is a clause. */
export function definitionsUnreadable(name: string, why: string, cause?: unknown): PortolanError {
  return new PortolanError(
    'ERR_DEFINITIONS_UNREADABLE',
    'unavailable',
    `The definitions of "${name}" cannot be read: ${why.replace(/\.+$/, '')}.`,
    { hint: `Read its log with \`portolan logs ${quote(name)}\`.`, cause },
  );
}

/** Creates the error for a server that responds only to callers with a login of their own. */
export function definitionsNeedLogin(name: string): PortolanError {
  return new PortolanError(
    'ERR_DEFINITIONS_UNREADABLE',
    'unavailable',
    `The definitions of "${name}" cannot be read: its server requires the login of each caller, and the workload has none of its own.`,
    { hint: 'Give the workload credentials of its own, such as with --remote-auth.' },
  );
}
