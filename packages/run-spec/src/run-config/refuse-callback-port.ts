import { PortolanError } from '@portolan/plugin-api';
import { parsePublishedPort } from '../parse/published-port.ts';
import type { RunConfig } from './run-config.ts';

/** Default port of login redirects. */
export const CALLBACK_PORT = 8666;

/**
 * Rejects the port of login redirects for a workload, whose server would receive login codes there. Throws
 * ERR_SETTING.
 */
export function refuseCallbackPort({ port, publish }: Pick<RunConfig, 'port' | 'publish'>): void {
  if (port === CALLBACK_PORT) throw callbackPortReserved('--proxy-port');
  const ports = publish.map((text) => parsePublishedPort(text, 'publish').hostPort);
  if (ports.includes(CALLBACK_PORT)) throw callbackPortReserved('--publish');
}

/** Creates the error for a workload on the port of login redirects. */
function callbackPortReserved(place: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `${place}: found ${CALLBACK_PORT}, the port for redirects of logins; expected another port.`,
    { hint: 'Choose another port, or omit it for a free port.' },
  );
}
