import { PortolanError } from '@portolan/plugin-api';
import { parsePublishedPort } from '../parse/published-port.ts';
import type { RunConfig } from './run-config.ts';

/** Port on which logins receive their redirects when no other is named. */
export const CALLBACK_PORT = 8666;

/**
 * Throws ERR_SETTING for a workload that listens on the port of logins, which would hand the codes of
 * logins to its server.
 */
export function refuseCallbackPort({ port, publish }: Pick<RunConfig, 'port' | 'publish'>): void {
  if (port === CALLBACK_PORT) throw callbackPortReserved('--proxy-port');
  const ports = publish.map((text) => parsePublishedPort(text, 'publish').hostPort);
  if (ports.includes(CALLBACK_PORT)) throw callbackPortReserved('--publish');
}

/** A workload asks for the port on which logins receive their redirects. */
function callbackPortReserved(place: string): PortolanError {
  return new PortolanError(
    'ERR_SETTING',
    'mistake',
    `${place}: found ${CALLBACK_PORT}, on which logins receive their redirects; expected another port.`,
    { hint: 'Choose another port, or leave it out: a free one is chosen.' },
  );
}
